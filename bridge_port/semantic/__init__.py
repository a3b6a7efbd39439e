"""What names and expressions of Fortran mean: functions of the language, values of constants."""
