"""Texture objects of CUDA, which no kernel of the bridge uses: arrays of floats read by number."""

from __future__ import annotations

from typing import Any


def _done(result: tuple[Any, ...]) -> Any:
    if int(result[0]):
        raise RuntimeError(str(result[0]))
    return result[1] if len(result) == 2 else None


def make(address: int, size: int) -> int:
    """An object that reads floats in so many bytes of device memory."""
    from cuda.bindings import driver

    resource, how = driver.CUDA_RESOURCE_DESC(), driver.CUDA_TEXTURE_DESC()
    resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_LINEAR
    resource.res.linear.devPtr = driver.CUdeviceptr(address)
    resource.res.linear.format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
    resource.res.linear.numChannels = 1
    resource.res.linear.sizeInBytes = size
    return int(_done(driver.cuTexObjectCreate(resource, how, None)))


def destroy(texture: int) -> None:
    """What `make` made."""
    from cuda.bindings import driver

    _done(driver.cuTexObjectDestroy(driver.CUtexObject(texture)))
