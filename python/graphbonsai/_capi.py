"""The C headers as ctypes: structs, prototypes, one check of the status.

There is no logic here; bonsai.h and bonsai_study.h say what each function does.  A test compares
sizes and offsets with those of the compiler.

SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import contextlib
import ctypes
import glob
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int,
                    c_int32, c_int64, c_size_t, c_uint, c_uint32, c_uint64, c_void_p)
from typing import Any, ContextManager, Dict, Iterator, List, Optional, Type

from ._errors import BY_STATUS, Error

VERSION = "0.8.0"

# ---- constants ----

NONE, U8, U16, U32, U64, I8, F16, F32, Q4, S4 = range(10)
TYPE_NAMES = {U8: "u1", U16: "u2", U32: "u4", U64: "u8", I8: "i1", F16: "f2", F32: "f4"}

(OFFSETS, NEIGHBORS, EDGE_WEIGHTS, FEATURES, FEATURE_OFFSETS, FEATURE_INDICES, FEATURE_VALUES,
 FEATURE_SCALE, LABELS, SOFT_LABELS, NODE_WEIGHTS, SPLIT, CLASS_NAMES, NODE_NAMES, ORIGIN, ROLE,
 MEMBER_OFFSETS, MEMBERS, KEPT_FEATURES, FEATURE_MEAN, FEATURE_SPREAD, METADATA, FEATURE_COLUMNS,
 FEATURE_NAMES, BASIS, BASIS_SCALE, BASIS_COLUMNS, COORDINATES, COORDINATE_SCALE) = range(1, 30)
SECTIONS = 30

PART_NONE, TRAIN, VAL, TEST = range(4)
DIRECTED, SELF_LOOPS, REPEATED, OPERATOR = 1, 2, 4, 8
STRICT, PAPER_FULL, PAPER_CONDENSED = range(3)
METRIC_ROOM = 8
WHY_ROOM = 10
FACT_ROOM = 128
(FACT_WHOLE, FACT_REAL, FACT_BYTES, FACT_SECONDS, FACT_PERCENT, FACT_SHARE, FACT_FLAG, FACT_CHECKSUM,
 FACT_WORD, FACT_TEXT) = range(10)
SCALES_FAR = 30
SPELLING_PYTHON = 2
(FIELD_FLAG, FIELD_CHOICE, FIELD_SET, FIELD_INT, FIELD_LONG, FIELD_BYTES, FIELD_U64, FIELD_REAL,
 FIELD_SPEED, FIELD_SPLIT, FIELD_TEXT, FIELD_FILE, FIELD_POINTER) = range(13)
MARK_ABOVE, MARK_BELOW, MARK_BUDGET = 1, 2, 4

# ---- the library ----


def _find() -> str:
    """The library that the environment names, else the one in this folder."""
    named = os.environ.get("GRAPHBONSAI_LIBRARY")
    if named:
        return named
    here = os.path.dirname(os.path.abspath(__file__))
    for pattern in ("libbonsai.so*", "libbonsai*.dylib"):
        found = sorted(glob.glob(os.path.join(here, pattern)))
        if found:
            return found[0]
    raise ImportError("graphbonsai: the library libbonsai.so is not in %s; set GRAPHBONSAI_LIBRARY "
                      "to where it is" % here)


@contextlib.contextmanager
def _setting(name: str, value: str) -> Iterator[None]:
    """A setting of the environment, and afterwards what it was."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _waiting() -> ContextManager[None]:
    """Threads of OpenMP that wait sleep, unless the user says otherwise: spinning takes cores from
    who works.  OpenMP reads the setting once, when it is loaded."""
    if "OMP_WAIT_POLICY" in os.environ or "GOMP_SPINCOUNT" in os.environ:
        return contextlib.nullcontext()
    return _setting("OMP_WAIT_POLICY", "passive")


def _load() -> Any:
    """When it is loaded, OpenBLAS starts a thread for every core, and ends the process if one does
    not start.  The library calls BLAS on threads of its own, so OpenBLAS gets none."""
    path = _find()
    try:
        with _setting("OPENBLAS_NUM_THREADS", "1"), _waiting():
            return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError("graphbonsai: the library cannot be loaded: %s" % error) from None


lib = _load()


def _checked(status: int, _function: Any, arguments: Any) -> Any:
    if status:
        raise failure(status)
    return arguments


def _declare(name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(lib, "bonsai_" + name)
    function.restype = result
    function.argtypes = arguments
    return function


def _calls(name: str, *arguments: Any) -> Any:
    """A function whose status becomes an exception."""
    function = _declare(name, c_int, *arguments)
    function.errcheck = _checked
    return function


# ---- structs ----


class Progress(Structure):
    _fields_ = [("size", c_size_t), ("stage", c_char_p), ("done", c_uint64), ("total", c_uint64),
                ("note", c_char_p)]


class ErrorInfo(Structure):
    _fields_ = [("size", c_size_t), ("status", c_int), ("kind", c_int), ("path", c_char_p),
                ("line", c_int64), ("column", c_int64), ("section", c_int64), ("entry", c_int64),
                ("reason", c_char_p)]


class Doubt(Structure):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("text", c_char_p), ("path", c_char_p),
                ("column", c_int64), ("value", c_char_p)]


WARNING_FN = CFUNCTYPE(None, POINTER(Doubt), c_void_p)
PROGRESS_FN = CFUNCTYPE(c_int, POINTER(Progress), c_void_p)


class Array(Structure):
    _fields_ = [("data", c_void_p), ("count", c_int64), ("type", c_int)]


class View(Structure):
    _fields_ = [("size", c_size_t), ("nodes", c_int64), ("features", c_int64),
                ("classes", c_int64), ("flags", c_uint64), ("section", Array * SECTIONS)]


class ReadInfo(Structure):
    _fields_ = [("size", c_size_t), ("edges_given", c_int64), ("self_loops", c_int64),
                ("repeated", c_int64), ("reversed", c_int64), ("feature_zeros", c_int64),
                ("feature_repeated", c_int64), ("rounded", c_int64), ("filled", c_int64),
                ("format", c_char_p)]


class Stats(Structure):
    _fields_ = [("size", c_size_t), ("nodes", c_int64), ("edges", c_int64), ("features", c_int64),
                ("classes", c_int64), ("feature_nnz", c_int64), ("labelled", c_int64),
                ("part", c_int64 * 4), ("isolated", c_int64), ("self_loops", c_int64),
                ("degree_min", c_int64), ("degree_median", c_int64), ("degree_max", c_int64),
                ("degree_bin", c_int64 * 33), ("degree_mean", c_double), ("homophily", c_double),
                ("power_exponent", c_double)]


class Linear(Structure):
    _fields_ = [("size", c_size_t), ("features_only", c_double), ("two_hops", c_double),
                ("majority", c_double), ("train", c_int64), ("test", c_int64)]


class CondenseInfo(Structure):
    """Facts of a condensed graph; those that are not fields are attributes by the names of FACTS."""

    _fields_ = [("size", c_size_t), ("nodes", c_int64), ("edges", c_int64), ("labelled", c_int64),
                ("roots", c_int64), ("full_nodes", c_int64), ("full_edges", c_int64),
                ("bytes", c_double), ("full_bytes", c_double), ("ratio", c_double),
                ("coverage", c_double), ("probe", c_double), ("probe_full", c_double),
                ("seconds_total", c_double), ("peak_rss_bytes", c_int64), ("seed", c_uint64),
                ("method", c_int), ("text", c_char * 256), ("fact", c_double * FACT_ROOM)]

    def __getattr__(self, name: str) -> Any:
        if name not in FACTS:
            raise AttributeError(name)
        return fact_of(self, name)


class FactRow(Structure):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("key", c_char_p), ("label", c_char_p),
                ("format", c_char_p), ("note", c_char_p), ("when", c_char_p), ("type", c_int),
                ("marks", c_uint)]


class Why(Structure):
    _fields_ = [("size", c_size_t), ("origin", c_int64), ("tree", c_int64), ("root", c_int64),
                ("covers", c_int64), ("sample", c_int64), ("rank", c_int64), ("score", c_double),
                ("weight", c_double), ("members", c_int64), ("edges", c_int64), ("role", c_int),
                ("label", c_int32), ("shares", c_int64), ("share_class", c_int64 * WHY_ROOM),
                ("share", c_double * WHY_ROOM), ("nodes", c_int64), ("node", c_int64 * WHY_ROOM),
                ("distance", c_double * WHY_ROOM), ("features_set", c_int64),
                ("features", c_int64), ("feature", c_int64 * WHY_ROOM),
                ("value", c_double * WHY_ROOM), ("above_mean", c_double * WHY_ROOM),
                ("feature_name", c_char_p * WHY_ROOM), ("partner", c_int64),
                ("deviations", c_double * WHY_ROOM)]


_metrics = c_double * METRIC_ROOM


class Run(Structure):
    _fields_ = [("size", c_size_t), ("seed", c_uint64), ("best_epoch", c_int),
                ("accuracy", c_double), ("accuracy_val", c_double), ("loss", c_double),
                ("seconds_train", c_double), ("seconds_eval", c_double),
                ("metric", _metrics), ("metric_val", _metrics)]


class Epoch(Structure):
    _fields_ = [("size", c_size_t), ("run", c_int), ("epoch", c_int), ("loss", c_double),
                ("accuracy_val", c_double), ("accuracy_test", c_double),
                ("metric_val", _metrics), ("metric_test", _metrics)]


class TrainInfo(Structure):
    _fields_ = [("size", c_size_t), ("model", c_int), ("runs", c_int), ("accuracy_mean", c_double),
                ("accuracy_std", c_double), ("seconds_train", c_double),
                ("seconds_eval", c_double), ("seconds_total", c_double), ("parameters", c_int64),
                ("train", c_int64), ("val", c_int64), ("test", c_int64),
                ("peak_rss_bytes", c_int64), ("in_blocks", c_int), ("split_from", c_int),
                ("split", c_double * 3), ("split_seed", c_uint64), ("leaks", c_int64),
                ("metric", c_int), ("classes", c_int), ("metric_mean", _metrics),
                ("metric_std", _metrics), ("metric_val_mean", _metrics)]


class Class(Structure):
    _fields_ = [("size", c_size_t), ("test", c_int64), ("recall_mean", c_double),
                ("recall_std", c_double)]


class Measures(Structure):
    _fields_ = [("size", c_size_t), ("nodes", c_int64), ("right", c_int64), ("metric", _metrics)]


class ModelInfo(Structure):
    _fields_ = [("size", c_size_t), ("model", c_int), ("layers", c_int), ("heads", c_int),
                ("gin_layers", c_int), ("epoch", c_int), ("features", c_int64),
                ("hidden", c_int64), ("classes", c_int64), ("parameters", c_int64),
                ("accuracy", c_double), ("accuracy_val", c_double), ("seed", c_uint64),
                ("weighted", c_int), ("split", c_double * 3), ("split_seed", c_uint64),
                ("split_labels", c_int64), ("scale", c_double)]


class Cell(Structure):
    _fields_ = [("size", c_size_t), ("method", c_int), ("model", c_int), ("ratio", c_double),
                ("done", c_int), ("runs", c_int), ("accuracy_mean", c_double),
                ("accuracy_std", c_double), ("bytes", c_double), ("share", c_double),
                ("nodes", c_int64), ("edges", c_int64), ("labelled", c_int64),
                ("seconds_condense", c_double), ("seconds_train", c_double),
                ("seconds_eval", c_double), ("why", c_char * 200), ("study", c_int),
                ("setting", c_int), ("checksum", c_uint64), ("seconds_wl", c_double),
                ("seconds_knn", c_double), ("seconds_cover", c_double),
                ("seconds_sparsify", c_double), ("pairs", c_int64), ("nearest", c_double),
                ("correlation", c_double), ("threshold", c_double), ("chance", c_double),
                ("metric_mean", _metrics), ("metric_std", _metrics), ("metric", c_int),
                ("split", c_int), ("draw", c_int), ("unit", c_int), ("units", c_int),
                ("accuracy_error", c_double), ("accuracies", POINTER(c_double)),
                ("metric_error", _metrics), ("recall", POINTER(c_double)),
                ("strict_bytes", c_double), ("strict_share", c_double), ("features", c_int64),
                ("whole_trees", c_int64), ("learn_rounds", c_int64), ("learn_made", c_int64)]


class SuggestPoint(Structure):
    _fields_ = [("size", c_size_t), ("ratio", c_double), ("bytes", c_double), ("nodes", c_int64),
                ("edges", c_int64), ("score", c_double), ("share", c_double), ("level", c_double),
                ("seconds", c_double), ("method", c_int), ("why", c_char * 156)]


class SuggestInfo(Structure):
    _fields_ = [("size", c_size_t), ("reached", c_int), ("held", c_int), ("point", c_int64),
                ("keep", c_double), ("ratio", c_double), ("bytes", c_double), ("score", c_double),
                ("share", c_double), ("nodes", c_int64), ("full_bytes", c_double),
                ("full_score", c_double), ("full_nodes", c_int64), ("full_train", c_int64),
                ("wanted", c_double), ("error", c_double), ("judged", c_int64),
                ("split_from", c_int), ("tried", c_int), ("split", c_double * 3),
                ("split_seed", c_uint64), ("seconds_full", c_double), ("seconds_total", c_double)]


class Difference(Structure):
    _fields_ = [("size", c_size_t), ("difference", c_double), ("error", c_double),
                ("pairs", c_int), ("verdict", c_int)]


CELL_FN = CFUNCTYPE(c_int, POINTER(Cell), c_void_p)


# ---- structs of options, from the library's table of fields ----


class Field(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("option", c_char_p), ("type", c_int),
                ("marks", c_int), ("offset", c_size_t), ("low", c_double), ("high", c_double),
                ("preset", c_double), ("methods", c_uint64), ("words", POINTER(c_char_p)),
                ("arg", c_char_p), ("help", c_char_p), ("otherwise", c_char_p), ("letter", c_int),
                ("group", c_int)]


field_at = _declare("field_at", POINTER(Field), c_int, c_int)

_MEMBERS = {FIELD_FLAG: c_int, FIELD_CHOICE: c_int, FIELD_SET: c_int, FIELD_INT: c_int,
            FIELD_LONG: c_int64, FIELD_BYTES: c_int64, FIELD_U64: c_uint64, FIELD_REAL: c_double, FIELD_SPEED: c_double,
            FIELD_SPLIT: c_double * 3, FIELD_TEXT: c_char_p, FIELD_FILE: c_char_p,
            FIELD_POINTER: c_void_p}


def _options(name: str, kind: int, **pointers: Any) -> Any:
    """The struct of a kind of options; `pointers` gives types that the table does not know."""
    members: List[Any] = [("size", c_size_t)]
    types = {"progress": PROGRESS_FN, **pointers}
    while field_at(kind, len(members) - 1):
        field = field_at(kind, len(members) - 1).contents
        member = field.name.decode()
        members.append((member, types.get(member, _MEMBERS[field.type])))
    return type(name, (Structure,), {"_fields_": members, "KIND": kind})


ReadOptions = _options("ReadOptions", 0, warning=WARNING_FN)
WriteOptions = _options("WriteOptions", 1)
GenerateOptions = _options("GenerateOptions", 2)
CondenseOptions = _options("CondenseOptions", 3)
TrainOptions = _options("TrainOptions", 4)
CompareOptions = _options("CompareOptions", 7, methods=POINTER(c_int), ratios=POINTER(c_double),
                          models=POINTER(c_int), condense=POINTER(CondenseOptions),
                          train=POINTER(TrainOptions), cell=CELL_FN,
                          settings=POINTER(POINTER(CondenseOptions)))
ReportOptions = _options("ReportOptions", 8, condensed=POINTER(CondenseInfo), cells=POINTER(Cell))
SuggestOptions = _options("SuggestOptions", 9, condense=POINTER(CondenseOptions))

# Struct by its C name: for the init functions, and for the test of the layout.
STRUCTS = {
    "error_info": ErrorInfo, "warning": Doubt, "progress": Progress, "array": Array, "view": View,
    "read_options": ReadOptions,
    "read_info": ReadInfo, "write_options": WriteOptions, "stats": Stats, "linear": Linear,
    "generate_options": GenerateOptions, "condense_options": CondenseOptions,
    "condense_info": CondenseInfo, "fact_row": FactRow, "why": Why, "train_options": TrainOptions, "run": Run,
    "epoch": Epoch, "train_info": TrainInfo, "class": Class, "measures": Measures, "model_info": ModelInfo,
    "cell": Cell, "difference": Difference, "compare_options": CompareOptions,
    "report_options": ReportOptions, "suggest_options": SuggestOptions,
    "suggest_info": SuggestInfo, "suggest_point": SuggestPoint,
    "field": Field,
}

# ---- functions ----

_out = POINTER(c_void_p)
_read, _train = POINTER(ReadOptions), POINTER(TrainOptions)
_condense, _info = POINTER(CondenseOptions), POINTER(CondenseInfo)
_real = POINTER(c_double)
_cell, _compare = POINTER(Cell), POINTER(CompareOptions)

_version = _declare("version", c_char_p)
_error = _declare("error", c_char_p)
_details = _declare("error_details", POINTER(ErrorInfo))
error_kind_name = _declare("error_kind_name", c_char_p, c_int)
isa = _declare("isa", c_char_p)
method_name = _declare("method_name", c_char_p, c_int)
model_name = _declare("model_name", c_char_p, c_int)
metric_name = _declare("metric_name", c_char_p, c_int)
metric_text = _declare("metric_text", c_char_p, c_int)
aim_text = _declare("aim_text", c_char_p, c_int)
section_text = _declare("section_text", c_char_p, c_int)
type_text = _declare("type_text", c_char_p, c_int)
format_name = _declare("format_name", c_char_p, c_int)
format_help = _declare("format_help", c_char_p, c_int)
format_writes = _declare("format_writes", c_int, c_int)

graph_read = _calls("graph_read", _out, c_char_p, _read)
graph_new = _calls("graph_new", _out, POINTER(View), c_int)
graph_build = _calls("graph_build", _out, POINTER(View), c_int64, c_void_p, c_void_p, c_void_p,
                     _read)
graph_free = _declare("graph_free", None, c_void_p)
graph_view = _declare("graph_view", POINTER(View), c_void_p)
graph_edges = _declare("graph_edges", c_int64, c_void_p)
graph_verify = _calls("graph_verify", c_void_p)
graph_check = _calls("graph_check", c_void_p, _read)
graph_row = _declare("graph_row", None, POINTER(c_float), c_void_p, c_int64)
graph_label = _declare("graph_label", c_int32, c_void_p, c_int64)
graph_read_info = _declare("graph_read_info", POINTER(ReadInfo), c_void_p)
graph_split = _calls("graph_split", _out, c_void_p, _real, c_uint64)
split_named = _declare("split_named", c_int, _real, c_char_p)
graph_split_file = _calls("graph_split_file", _out, c_void_p, c_char_p)
graph_induce = _calls("graph_induce", _out, c_void_p, c_void_p, c_int64)
graph_reorder = _calls("graph_reorder", _out, c_void_p, c_int, c_int64, c_uint64, _read)
graph_normalise = _calls("graph_normalise", _out, c_void_p)
graph_project = _calls("graph_project", _out, c_void_p, c_void_p)
graph_projected = _declare("graph_projected", c_int64, c_void_p)
graph_projection = _calls("graph_projection", c_void_p, c_void_p)
graph_standardise = _calls("graph_standardise", _out, c_void_p, c_void_p)
graph_match_classes = _calls("graph_match_classes", _out, c_void_p, POINTER(c_char_p), c_int64)
graph_equal = _calls("graph_equal", POINTER(c_int), c_void_p, c_void_p)
graph_save = _calls("graph_save", POINTER(c_uint64), c_void_p, c_char_p, POINTER(WriteOptions))
graph_scales = _calls("graph_scales", _real, _real, c_void_p)
graph_bytes = _calls("graph_bytes", _real, c_void_p, c_int)
graph_sections = _calls("graph_sections", POINTER(c_int), POINTER(c_int64), c_int, c_void_p,
                        POINTER(WriteOptions))
graph_stats = _calls("graph_stats", POINTER(Stats), POINTER(c_int64), c_void_p, _read)
graph_linear = _calls("graph_linear", POINTER(Linear), c_void_p, c_uint64, _read)
graph_generate = _calls("graph_generate", _out, POINTER(GenerateOptions))

condense = _calls("condense", _out, _info, c_void_p, _condense)
condense_many = _calls("condense_many", _out, _info, _real, c_int, c_void_p, _condense)
condense_update = _calls("condense_update", _out, _info, c_void_p, c_void_p, c_void_p, _condense)
condense_nearest = _calls("condense_nearest", c_void_p, c_void_p, POINTER(c_int64), c_int64,
                          c_void_p, c_int64, c_void_p, _condense)
condense_worth = _declare("condense_worth", c_int, c_char_p, c_size_t, _real, _info)
condense_info_of = _calls("condense_info_of", _info, c_void_p)
condense_options_of = _calls("condense_options_of", POINTER(CondenseOptions), c_void_p)
fact = _declare("fact", c_int, _real, _info, c_char_p)
fact_text = _declare("fact_text", c_char_p, _info, c_char_p)
fact_at = _declare("fact_at", POINTER(FactRow), c_int)
condense_why = _calls("condense_why", POINTER(Why), c_void_p, c_int64)
condense_explain = _calls("condense_explain", POINTER(Why), c_void_p, c_int64, c_void_p, _condense)
condense_whys = _calls("condense_whys", c_void_p, c_void_p, c_void_p, c_void_p)
options_json = _declare("options_json", c_int, c_char_p, c_size_t, c_int, c_void_p)

train = _calls("train", _out, c_void_p, c_void_p, _train)
train_beside = _calls("train_beside", _out, c_void_p, c_void_p, _train)
training_info = _declare("training_info", POINTER(TrainInfo), c_void_p)
training_runs = _declare("training_runs", c_int64, c_void_p)
training_epochs = _declare("training_epochs", c_int64, c_void_p)
training_run = _declare("training_run", POINTER(Run), c_void_p, c_int64)
training_epoch = _declare("training_epoch", POINTER(Epoch), c_void_p, c_int64)
training_class = _declare("training_class", POINTER(Class), c_void_p, c_int64)
training_idle = _declare("training_idle", c_int64, POINTER(c_double), c_void_p)
training_model = _declare("training_model", c_void_p, c_void_p)
training_free = _declare("training_free", None, c_void_p)
model_save = _calls("model_save", c_void_p, c_char_p)
model_load = _calls("model_load", _out, c_char_p)
model_facts = _declare("model_facts", POINTER(ModelInfo), c_void_p)
model_class_name = _declare("model_class_name", c_char_p, c_void_p, c_int64)
model_feature_name = _declare("model_feature_name", c_char_p, c_void_p, c_int64)
model_split = _calls("model_split", _out, c_void_p, c_void_p)
model_scale = _calls("model_scale", c_void_p, c_void_p, _real, _real, c_void_p, c_void_p)
model_free = _declare("model_free", None, c_void_p)
predict = _calls("predict", c_void_p, c_void_p, c_void_p, c_void_p, _train)
judge_lost = _declare("judge_lost", c_int64, c_void_p, c_int64, c_void_p, c_void_p)
judge = _calls("judge", POINTER(Measures), c_void_p, c_void_p, c_int, c_void_p, c_void_p)

compare_count = _declare("compare_count", c_int64, _compare)
compare_cells_sized = _calls("compare_cells_sized", _cell, c_size_t, _compare)
compare = _calls("compare", _cell, c_void_p, _compare)
compare_split = _calls("compare_split", _real, c_void_p, _compare)
cells_merge = _calls("cells_merge", _cell, _cell, c_int64, _cell)
cells_difference = _calls("cells_difference", POINTER(Difference), _cell, c_int64, _cell, _cell)

suggest = _calls("suggest", _out, c_void_p, POINTER(SuggestOptions))
suggestion_info = _declare("suggestion_info", POINTER(SuggestInfo), c_void_p)
suggestion_point = _declare("suggestion_point", POINTER(SuggestPoint), c_void_p, c_int64)
suggestion_graph = _declare("suggestion_graph", c_void_p, c_void_p)
suggestion_free = _declare("suggestion_free", None, c_void_p)
report_suggestion = _calls("report_suggestion", _out, c_void_p, POINTER(ReportOptions))

report_new = _calls("report_new", _out, c_void_p, c_void_p, POINTER(ReportOptions))
report_html = _declare("report_html", c_void_p, POINTER(c_size_t), c_void_p)
report_save = _calls("report_save", c_void_p, c_char_p)
report_free = _declare("report_free", None, c_void_p)

field_text = _declare("field_text", c_int, c_char_p, c_size_t, POINTER(Field), c_void_p)

for _name, _struct in STRUCTS.items():
    if hasattr(lib, "bonsai_%s_init_sized" % _name):
        _declare("%s_init_sized" % _name, None, POINTER(_struct), c_size_t)


def failure(status: int) -> Error:
    """This thread's last error as an exception."""
    error, at = BY_STATUS.get(status, Error)(text(_error()), status), _details().contents
    error.kind, error.reason = error_kind_name(at.kind).decode(), text(at.reason)
    error.path = os.fsdecode(at.path) or None
    error.line, error.column = at.line or None, at.column or None
    error.section = section_text(at.section).decode() or None
    error.entry = None if at.entry < 0 else at.entry
    return error


def text(given: bytes) -> str:
    return str(given, "utf-8", "replace")


def init(struct: Type[Structure]) -> Any:
    """A struct with the library's defaults, stamped with its size."""
    s = struct()
    name = next(k for k, v in STRUCTS.items() if v is struct)
    getattr(lib, "bonsai_%s_init_sized" % name)(ctypes.byref(s), ctypes.sizeof(s))
    return s


def values(struct: Structure) -> Dict[str, Any]:
    """The fields of a struct by name."""
    return {f[0]: getattr(struct, f[0]) for f in struct._fields_}


def measured(value: float) -> Optional[float]:
    """None for the -1 of what could not be measured."""
    return None if value < 0 else value


def _facts() -> Dict[str, FactRow]:
    """The facts of condensed graphs by name: the path without its group, or seconds_wl."""
    found: Dict[str, FactRow] = {}
    while True:
        row = fact_at(len(found))
        if not row:
            return found
        path = row.contents.path.decode()
        of_run = path.startswith(("seconds.", "memory.", "ranks."))
        name = path.replace(".", "_") if of_run else path.split(".")[-1]
        name = row.contents.key.decode() if row.contents.key else name
        found[path if name in found else name] = row.contents


FACTS = _facts()


def fact_of(info: CondenseInfo, name: str) -> Any:
    """A fact by its name; None: it is not known."""
    row, value = FACTS[name], c_double()
    if row.type in (FACT_TEXT, FACT_WORD):
        return (fact_text(ctypes.byref(info), row.path) or b"").decode("utf-8", "replace")
    if not fact(ctypes.byref(value), ctypes.byref(info), row.path):
        return None
    if row.type == FACT_FLAG:
        return bool(value.value)
    return int(value.value) if row.type == FACT_WHOLE else value.value


def by_metric(found: Dict[str, Any]) -> Dict[str, Any]:
    """The fields of a struct; for each array of metrics one field per metric: f1_mean, ..."""
    spread: Dict[str, Any] = {}
    for key, value in found.items():
        if isinstance(value, _metrics):
            for name, one in zip(METRICS, value):
                spread.setdefault(name + key[len("metric"):], one)
        else:
            spread[key] = value
    return spread


def names(function: Any) -> List[str]:
    """The texts that an enumeration's name function knows, by value."""
    found: List[str] = []
    while True:
        text = function(len(found))
        if text is None:
            return found
        found.append(text.decode())


METRICS = names(metric_name)

_running = _version().decode()
if _running != VERSION:
    raise ImportError("graphbonsai is version %s, but the library that it found is %s; install "
                      "both from the same release" % (VERSION, _running))
