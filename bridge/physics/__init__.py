"""What kernels know of the gas: species, options, and the struct of constants made of them.

`species` reads the constants of a mixture, `options` the switches of a Frame; `shared` turns both
into the struct that kernels read, with the tables that `omega11fit` fits. No plan and no memory of
a caller is known here.
"""
