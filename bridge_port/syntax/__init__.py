"""Program units, statements and expressions of Fortran, and how logical lines become them."""
