"""Files that the library does not read: SciPy's sparse matrices and PyTorch's files.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import contextlib
import os
import zipfile
from typing import TYPE_CHECKING, Any, Mapping

from . import _capi as c
from ._errors import ArgumentError, Error, FileError, FormatError
from ._tables import ENDINGS

if TYPE_CHECKING:
    from ._graph import Graph


def _is_matrix(path: str) -> bool:
    """Whether a file is what scipy.sparse.save_npz writes."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {"format.npy", "shape.npy", "data.npy"} <= set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return False


def matrix(name: str, value: Any) -> Any:
    """The SciPy matrix of a path; anything else as it is."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        return value
    path = os.fsdecode(value)
    if not os.path.exists(path):
        raise FileError("%s: cannot be opened: No such file or directory" % path)
    if not _is_matrix(path):
        raise ArgumentError("%s: %s takes an array, a sparse matrix, or the path of what "
                            "scipy.sparse.save_npz wrote" % (path, name))
    try:
        from scipy.sparse import load_npz  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise ArgumentError("%s: reading it needs scipy: pip install scipy" % path) from None
    try:
        return load_npz(path)
    except (OSError, ValueError, KeyError, NotImplementedError) as error:
        raise FormatError("%s: %s" % (path, error)) from None


# ---- PyTorch's files ----


def _safe() -> Any:
    """A context in which torch.load takes a Data for safe."""
    import torch
    import torch_geometric.data as geometric
    from torch_geometric.data import data, storage
    if not hasattr(torch.serialization, "safe_globals"):
        return contextlib.nullcontext()
    names = ("DataEdgeAttr", "DataTensorAttr", "BaseStorage", "NodeStorage", "EdgeStorage",
             "GlobalStorage")
    return torch.serialization.safe_globals([geometric.Data, *(
        getattr(place, name) for place in (data, storage) for name in names
        if hasattr(place, name))])


def _load(path: str) -> Any:
    """What a file holds, without running what it says."""
    try:
        import torch

        from . import pyg               # a condensed Data is safe, too
        assert pyg
    except ImportError as error:
        raise ArgumentError("%s: reading it needs PyTorch Geometric: pip install torch "
                            "torch_geometric (%s)" % (path, error)) from None
    try:
        with _safe():
            return torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise FileError("%s: cannot be read: %s" % (path, error)) from None
    except Exception:                   # pickle's, zip's and torch's own
        raise FormatError("%s: is broken, or holds more than tensors and a Data: if you trust it, "
                          "give torch.load(path, weights_only=False), which runs what the file "
                          "says" % path) from None


def _torch(path: str, reading: Mapping[str, Any]) -> Graph:
    """The Graph of a Data, of its dictionary, or of a dataset's file with one graph."""
    found = _load(path)
    from torch_geometric.data import Data

    from . import pyg
    if isinstance(found, tuple) and len(found) in (2, 3):       # InMemoryDataset: data, slices
        if found[1] is not None and any(len(s) > 2 for s in dict(found[1]).values()):
            raise FormatError("%s: holds a dataset of several graphs; give one, dataset[i]" % path)
        found = found[0]
    if isinstance(found, dict) and ("edge_index" in found or "adj_t" in found):
        found = Data.from_dict(found)
    if not isinstance(found, Data):
        raise FormatError("%s: holds a %s; a torch_geometric Data or its dictionary is needed" %
                          (path, type(found).__name__))
    return pyg.from_data(found, **reading)


# ---- what the library refused ----


def other(path: Any, reading: Mapping[str, Any], error: Error) -> Graph:
    """The Graph of a file that the library refused with an error, or a better sentence."""
    from ._graph import Graph           # which imports this module
    name = os.fsdecode(path)
    ending = os.path.splitext(name)[1].lower()
    if ending == ".npz" and _is_matrix(name):
        return Graph.from_arrays(csr=matrix("csr", name), **reading)
    if ending in (".pt", ".pth"):
        extra = next((k for k in ("features", "labels") if k in reading), None)
        if extra is not None:
            raise ArgumentError("%s: %s is for text and mtx graphs; a Data has its own" %
                                (name, extra))
        return _torch(name, reading)
    if ending in ENDINGS:
        raise FormatError("%s: one table is no graph; Graph.from_pandas takes a table of nodes and "
                          "one of edges" % name)
    if error.kind != "unknown format":
        raise error
    raise FormatError("%s; the formats are %s; the package also reads scipy.sparse.save_npz's .npz "
                      "and PyTorch Geometric's .pt" %
                      (error, ", ".join(c.names(c.format_name)))) from None
