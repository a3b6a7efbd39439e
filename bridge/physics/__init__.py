"""What kernels know of the gas: species, options, and the struct of constants made of them.

`speciestable` reads files of species, `species` makes a mixture of their records or of the host's
arrays, `options` are the switches of a Frame; `shared` turns both into the struct that kernels
read, with the tables that `omega11fit` fits. No plan and no memory of a caller is known here.
"""
