"""Arrays of the caller that stay where kernels use them, in the order of the data.

boxes       lists of boxes as a caller numbers them, and the parts of an array that they are
copies      the memory of a whole array, and its copy
shadow      copies in host memory that stand for a device, to find what was not updated
fringes     what has filled each element, to find fringes that nothing has filled
residency   which memory has a copy; what enters, leaves, is updated and is run on
"""
