"""What GPUs of any vendor share: source of launches, memory, transfers, the loop over chunks.

A vendor's folder, `cuda`, adds its driver, its compiler and the choice of a device, and hands a
`Device` down. Nothing here imports it.
"""
