"""execute.py NOTEBOOK... -- runs notebooks in Jupyter, each in an empty folder; 77: there is none.

SPDX-License-Identifier: MIT"""
import sys
import tempfile

try:
    import nbclient
    import nbformat
except ImportError:
    sys.exit(77)


def main(paths):
    for path in paths:
        with tempfile.TemporaryDirectory(prefix="bonsai-notebook-") as folder:
            book = nbformat.read(path, as_version=4)
            nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": folder}}).execute()
        print(f"{path}: {sum(cell.cell_type == 'code' for cell in book.cells)} cells")


if __name__ == "__main__":
    main(sys.argv[1:])
