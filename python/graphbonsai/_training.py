"""train, evaluate and the models that come of it.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import ctypes
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

from . import _capi as c
from . import _options as options_of
from ._errors import ArgumentError
from ._graph import PathLike, handle_of
from ._kinds import as_graph
from ._memory import Handle
from ._progress import Progress, call
from ._report import html_table, number, table


def _copied(struct: Any, count: int, item: Any, handle: Handle) -> np.ndarray:
    """Structs of the library, but their sizes, as NumPy's structured array."""
    names = [name for name, _ in struct._fields_ if name != "size"]
    found: np.ndarray = np.empty(count, [(name, np.dtype(kind)) for name, kind in struct._fields_
                                         if name != "size"])
    for i in range(count):
        one = item(handle, i).contents
        found[i] = tuple(getattr(one, name) for name in names)
    return found


# Whose split was judged on: bonsai_split_source.
_SPLITS = ("own", "asked", "condensed", "drawn", "none")


def _facts(pointer: Any) -> Dict[str, Any]:
    """The fields of a struct but its size, the model by name."""
    found = c.values(pointer.contents)
    del found["size"]
    found["model"] = options_of.MODELS[found["model"]]
    return found


class Model:
    """A trained model.  Made by `train`, or read by `Model.load` from a native file."""

    _handle: Optional[Handle]
    _pointer: ctypes.c_void_p

    def __init__(self) -> None:
        raise TypeError("a Model is made by graphbonsai.train or Model.load")

    @classmethod
    def _of(cls, handle: Handle, pointer: Any) -> "Model":
        m = object.__new__(cls)
        m._handle, m._pointer = handle, pointer
        return m

    @classmethod
    def load(cls, path: PathLike) -> "Model":
        handle = Handle(c.model_free)
        call(c.model_load, handle.out, options_of.path("path", path))
        return cls._of(handle, handle.pointer)

    def _live(self) -> Tuple[Handle, Any]:
        handle = self._handle
        if handle is None:
            raise ArgumentError("the model is closed")
        return handle, self._pointer

    def close(self) -> None:
        self._handle = None

    def __copy__(self, memo: Any = None) -> "Model":
        return Model._of(*self._live())         # it does not change: share it

    __deepcopy__ = __copy__

    def __reduce__(self) -> Any:
        raise TypeError("a Model cannot be pickled; save it to a file and load it there")

    @property
    def info(self) -> Dict[str, Any]:
        """Kind, layers, sizes, and the accuracy of its run in percent."""
        handle, pointer = self._live()
        found = _facts(c.model_facts(pointer))
        del handle
        return found

    def save(self, path: PathLike) -> None:
        """.npz with PyTorch Geometric's parameter names, anything else as a native file."""
        handle, pointer = self._live()
        call(c.model_save, pointer, options_of.path("path", path))
        del handle

    def predict(self, graph: Any, *, probabilities: bool = False, progress: Progress = None,
                **options: Any) -> Union[np.ndarray, Tuple[np.ndarray, np.ndarray]]:
        """[n] int64, the class of every node; with probabilities also [n, c] float32.

        Options: threads, memory.
        """
        known = {k: v for k, v in options.items() if k in ("threads", "memory")}
        for name in options:
            if name not in known:
                raise options_of.unknown(name, ["threads", "memory", "probabilities", "progress"])
        g = as_graph("graph", graph)
        of, pointer = self._live()
        h = g._live()
        o = options_of.fill(c.TrainOptions, known)
        classes = np.empty(g.num_nodes, np.int32)
        shares = np.empty((g.num_nodes, c.model_facts(pointer).contents.classes)
                          if probabilities else 0, np.float32)
        call(c.predict, classes.ctypes.data, shares.ctypes.data if probabilities else None,
             pointer, h, progress=progress, options=o)
        del of
        found = classes.astype(np.int64)
        return (found, shares) if probabilities else found

    def __repr__(self) -> str:
        if self._handle is None:
            return "Model(closed)"
        i = self.info
        return "Model(%s, layers=%d, features=%d, hidden=%d, classes=%d)" % (
            i["model"], i["layers"], i["features"], i["hidden"], i["classes"])


class Training:
    """What training gave: accuracies in percent over the runs, curves, and the best model.

    mean, std   of the test accuracy over runs; -1 without test nodes
    runs        one row a run: seed, best_epoch, accuracy, accuracy_val, loss, seconds_...
    epochs      the learning curves: run, epoch, loss, accuracy_val, accuracy_test
    info        parameters, nodes, seconds, memory; split_from ("own", "asked", "condensed",
                "drawn" or "none"), split and split_seed: what it was judged on; leaks: labelled
                nodes of the small graph that are judged on the full one
    """

    def __init__(self, handle: Handle) -> None:
        self.info: Dict[str, Any] = _facts(c.training_info(handle))
        self.info["split_from"] = _SPLITS[self.info["split_from"]]
        self.info["split"] = tuple(self.info["split"])
        self.runs: np.ndarray = _copied(c.Run, c.training_runs(handle), c.training_run, handle)
        self.epochs: np.ndarray = _copied(c.Epoch, c.training_epochs(handle), c.training_epoch,
                                          handle)
        pointer = c.training_model(handle)
        self.model: Optional[Model] = (
            Model._of(handle, ctypes.c_void_p(pointer)) if pointer else None)

    @property
    def mean(self) -> float:
        return float(self.info["accuracy_mean"])

    @property
    def std(self) -> float:
        return float(self.info["accuracy_std"])

    def _rows(self) -> Any:
        rows = [("seed", "epoch", "test %", "val %", "loss", "seconds")]
        for r in self.runs:
            rows.append((str(r["seed"]), str(r["best_epoch"]), _percent(r["accuracy"]),
                         _percent(r["accuracy_val"]), "%.4f" % r["loss"],
                         number(float(r["seconds_train"] + r["seconds_eval"]), 3)))
        return rows

    def __str__(self) -> str:
        return "%s  test %s +- %.2f %%\n%s" % (self.info["model"], _percent(self.mean), self.std,
                                               table(self._rows()))

    def __repr__(self) -> str:
        return "Training(%s, runs=%d, mean=%.2f, std=%.2f)" % (
            self.info["model"], len(self.runs), self.mean, self.std)

    def _repr_html_(self) -> str:
        return "<code>%r</code>%s" % (self, html_table(self._rows()))


def _percent(value: float) -> str:
    return "-" if value < 0 else "%.2f" % value


def train(graph: Any, full: Any = None, model: str = "gcn", *, progress: Progress = None,
          **options: Any) -> Training:
    """Trains a model on `graph` and judges it on `full` (without it, on `graph` itself).

    model     "gcn", "gat", "gin" or "sage", as in PyTorch Geometric
    Options, by the name in bonsai_train_options: layers, hidden, heads, epochs, every,
    seeds, rate, decay, dropout, standardise, split, seed, threads, memory.

    >>> import graphbonsai
    >>> g = graphbonsai.generate(nodes=300, features=60, classes=3, seed=4)
    >>> result = graphbonsai.train(g, epochs=20, seeds=2, threads=1)
    >>> len(result.runs), result.mean > 50
    (2, True)
    >>> result.model.predict(g, threads=1).shape
    (300,)
    """
    small = as_graph("graph", graph)
    whole = None if full is None else as_graph("full", full)
    o = options_of.fill(c.TrainOptions, dict(options, model=model), ["progress"])
    h = small._live()
    hf = None if whole is None else handle_of("full", whole)
    out = Handle(c.training_free)
    call(c.train, out.out, h, None if hf is None else hf, progress=progress,
         options=o)
    return Training(out)


def evaluate(small: Any, full: Any, model: str = "gcn", *, progress: Progress = None,
             **options: Any) -> Training:
    """Trains on the condensed graph and judges on the full one: what it is worth.

    Where condensing drew the split of `full`, the same is drawn again, so that no node is judged
    that `small` was made of.

    >>> import graphbonsai
    >>> full = graphbonsai.generate(nodes=600, features=60, classes=3, seed=4)
    >>> small = graphbonsai.condense(full, 0.05, threads=1)
    >>> graphbonsai.evaluate(small, full, epochs=20, seeds=1, threads=1).info["test"]
    120
    """
    if full is None:
        raise ArgumentError("full is None; evaluate needs the full graph to judge on")
    return train(small, full, model, progress=progress, **options)
