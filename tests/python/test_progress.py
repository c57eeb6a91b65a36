"""Progress, exceptions out of callbacks, Ctrl-C, and other threads during a call.

SPDX-License-Identifier: MIT
"""
import os
import signal
import subprocess
import sys
import threading
import time

import graphbonsai
import testing
from graphbonsai import _progress


class Stop(Exception):
    pass


class Callbacks(testing.Case):
    def setUp(self):
        self.g = testing.small_world()

    def calls(self):
        """Every call that reports progress."""
        g = self.g
        s = graphbonsai.condense(g, 0.1, method="prototypes", members=True, threads=1)
        model = graphbonsai.train(g, epochs=2, seeds=1, threads=1).model
        return {
            "condense": lambda p: graphbonsai.condense(g, 0.1, threads=1, progress=p),
            "many": lambda p: graphbonsai.condense(g, [0.1, 0.2], threads=1, progress=p),
            "train": lambda p: graphbonsai.train(g, epochs=5, threads=1, progress=p),
            "evaluate": lambda p: graphbonsai.evaluate(s, g, epochs=5, threads=1, progress=p),
            "compare": lambda p: graphbonsai.compare(g, epochs=5, threads=1, progress=p),
            "generate": lambda p: testing.small_world(progress=p),
            "update": lambda p: graphbonsai.update(g, g, s, threads=1, progress=p),
            "nearest": lambda p: graphbonsai.nearest(s, 0, g, threads=1, progress=p),
            "explain": lambda p: graphbonsai.explain(s, 0, g, threads=1, progress=p),
            "report": lambda p: graphbonsai.report(s, g, threads=1, progress=p),
            "predict": lambda p: model.predict(g, threads=1, progress=p),
            "info": lambda p: g.info(linear=True, threads=1, progress=p),
            "check": lambda p: g.check(threads=1, progress=p),
        }

    def test_stages_run_from_nothing_to_all(self):
        for name, call in self.calls().items():
            seen = []
            call(lambda *report: seen.append(report))
            for stage, done, total in seen:
                self.assertIsInstance(stage, str)
                self.assertLessEqual(done, total, name)

    def test_an_exception_ends_the_call_and_is_raised(self):
        for name, call in self.calls().items():
            ticks = []
            call(lambda *report: ticks.append(report))
            for last in sorted({0, len(ticks) // 2, len(ticks) - 1}):
                if last < 0:
                    continue
                seen = []

                def stop(*report):
                    seen.append(report)
                    if len(seen) > last:
                        raise Stop(name)
                with self.assertRaises(Stop) as caught:
                    call(stop)
                self.assertEqual(str(caught.exception), name)
                self.assertEqual(len(seen), last + 1, name)

    def test_exceptions_that_end_programs_pass_too(self):
        for kind in (KeyboardInterrupt, SystemExit, MemoryError, graphbonsai.Canceled):
            def stop(*_):
                raise kind
            with self.assertRaises(kind):
                graphbonsai.condense(self.g, 0.1, progress=stop)

    def test_a_callback_with_the_wrong_parameters(self):
        with self.assertRaises(TypeError):
            graphbonsai.condense(self.g, 0.1, progress=lambda: None)

    def test_an_exception_of_a_cell_is_raised(self):
        def stop(cell):
            raise Stop(cell["method"])
        with self.assertRaises(Stop) as caught:
            graphbonsai.compare(self.g, epochs=1, seeds=1, threads=1, cell=stop)
        self.assertEqual(str(caught.exception), "full")

    def test_calls_within_a_callback(self):
        inner = []

        def again(stage, done, total):
            if not inner:
                inner.append(graphbonsai.condense(self.g, 0.05, threads=1, method="random"))
                with self.assertRaises(graphbonsai.FileError):
                    graphbonsai.Graph.load("/no/such")
        s = graphbonsai.condense(self.g, 0.1, threads=1, progress=again)
        self.assertTrue(s.equal(graphbonsai.condense(self.g, 0.1, threads=1)))
        self.assertEqual(len(inner), 1)

    def test_closing_the_graph_within_a_callback(self):
        g = testing.small_world()
        want = graphbonsai.condense(g, 0.1, threads=1)
        self.assertTrue(graphbonsai.condense(g, 0.1, threads=1,
                                             progress=lambda *_: g.close()).equal(want))
        self.assertTrue(g.closed)


class Bars(testing.Case):
    def test_without_a_terminal_nothing_is_drawn(self):
        done = testing.script("import graphbonsai as b\nb._progress.DELAY = 0\n"
                              "b.condense(b.generate(nodes=300, features=60), 0.1)")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_bar_that_cannot_be_drawn_ends_nothing(self):
        class Broken(_progress._Bar):
            def _open(self):
                raise ValueError("I/O operation on closed file")
        bar, delay = _progress._Bar, _progress.DELAY
        _progress._Bar, _progress.DELAY = Broken, 0
        try:
            self.assertEqual(len(testing.small_world(progress=True)), 400)
        finally:
            _progress._Bar, _progress.DELAY = bar, delay

    def test_a_bar_follows_the_stages(self):
        log, notes = [], set()

        class Fake:
            n = 0

            def __init__(self, **_):
                pass

            def reset(self, total):
                self.n = 0
                log.append(total)

            def set_description(self, stage, refresh):
                log.append(stage)

            def set_postfix_str(self, note, refresh):
                notes.add(note)

            def update(self, by):
                self.n += by

            def close(self):
                log.append("closed")
        import types
        module = types.ModuleType("tqdm.auto")
        module.tqdm = Fake
        sys.modules["tqdm"], sys.modules["tqdm.auto"] = types.ModuleType("tqdm"), module
        before, _progress.DELAY = _progress.DELAY, 0
        try:
            graphbonsai.condense(testing.small_world(), nodes=9, method="gc-sntk", effort=0.1,
                                 threads=1, progress=True)
        finally:
            _progress.DELAY = before
            del sys.modules["tqdm"], sys.modules["tqdm.auto"]
        self.assertEqual(log[-1], "closed")
        self.assertGreater(len(log), 4)
        self.assertTrue(any(note.startswith("loss ") for note in notes), notes)


LONG = """
import signal, sys, time, graphbonsai
signal.signal(signal.SIGINT, signal.default_int_handler)    # a background job ignores it
g = graphbonsai.generate(nodes=20000, features=200, dense=1, threads=1)
print("ready", flush=True)
try:
    %s
except KeyboardInterrupt:
    print("interrupted", g.num_nodes, flush=True)
    graphbonsai.condense(graphbonsai.generate(nodes=100), 0.5)      # all still works
    sys.exit(5)
"""
TRAIN = "graphbonsai.train(g, epochs=100000, seeds=1, threads=1%s)"
CONDENSE = """
    while True:
        graphbonsai.condense(g, 0.1, method="trees", sample=-1, threads=1%s)"""


class Interrupts(testing.Case):
    def interrupt(self, text, within, times=1):
        with subprocess.Popen([sys.executable, "-c", LONG % text], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True) as child:
            self.assertEqual(child.stdout.readline(), "ready\n", )
            time.sleep(0.7)
            start = time.monotonic()
            for _ in range(times):
                child.send_signal(signal.SIGINT)
            said = child.stdout.readline()
            took = time.monotonic() - start
            errors = child.communicate(timeout=120)[1]
        self.assertEqual((said, child.returncode), ("interrupted 20000\n", 5), errors)
        self.assertEqual(errors, "")
        self.assertLess(took, within * (10 if testing.SANITIZED else 1))

    def test_training_is_interrupted(self):
        self.interrupt(TRAIN % "", 2)
        self.interrupt(TRAIN % ", progress=lambda *_: None", 2)

    def test_condensing_is_interrupted(self):
        self.interrupt(CONDENSE % "", 3)

    def test_two_signals_at_once(self):
        self.interrupt(TRAIN % "", 2, times=2)

    def test_the_handler_is_the_callers_again(self):
        before = signal.getsignal(signal.SIGINT)
        graphbonsai.condense(testing.small_world(), 0.1, threads=1)
        self.assertIs(signal.getsignal(signal.SIGINT), before)

    def test_a_handler_of_the_callers_own_is_called(self):
        seen = []
        before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        try:
            g = testing.small_world()
            sent = []

            def send(*_):
                if not sent:
                    sent.append(os.kill(os.getpid(), signal.SIGINT))
            s = graphbonsai.condense(g, 0.1, threads=1, progress=send)      # it does not raise
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(seen, [1])
        self.assertGreater(len(s), 0)


class Signals(testing.Case):
    def setUp(self):
        self.g = testing.small_world(2000)
        # a background job's children ignore interrupts
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    def raised_by(self, number, **more):
        """A handler that raises, as a time limit's does, ends the call with its exception."""
        def handler(*_):
            raise Stop("late")
        previous = signal.signal(number, handler)
        sent = []

        def once(stage, done, total):
            if not sent:
                sent.append(stage)
                os.kill(os.getpid(), number)
        try:
            with self.assertRaises(Stop):
                graphbonsai.train(self.g, epochs=2000, seeds=1, threads=1, progress=once, **more)
            self.assertIs(signal.getsignal(number), handler)
        finally:
            signal.signal(number, previous)

    def test_handlers_of_other_signals_end_the_call_too(self):
        for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGUSR1):
            self.raised_by(number)

    def test_a_time_limit_ends_a_call_without_a_callback(self):
        found = testing.script(
            "import graphbonsai, signal\n"
            "g = graphbonsai.generate(nodes=20000, features=100, classes=5, threads=1)\n"
            "def late(*_): raise TimeoutError('late')\n"
            "signal.signal(signal.SIGALRM, late)\n"
            "signal.setitimer(signal.ITIMER_REAL, 0.2)\n"
            "graphbonsai.train(g, epochs=100000, seeds=1, threads=1)")
        self.assertEqual(found.stderr.strip().splitlines()[-1], "TimeoutError: late")
        self.assertNotIn("ignored", found.stderr)

    def test_a_call_within_a_callback_is_interrupted_with_the_outer_one(self):
        inner = []

        def outer(stage, done, total):
            def kill(*_):
                if not inner:
                    inner.append(0)
                    os.kill(os.getpid(), signal.SIGINT)
                inner[0] += 1
            graphbonsai.train(self.g, epochs=500, seeds=1, threads=1, progress=kill)
        with self.assertRaises(KeyboardInterrupt):
            graphbonsai.train(self.g, epochs=5, seeds=1, threads=1, progress=outer)
        self.assertLess(inner[0], 5)


class Forks(testing.Case):
    def test_a_child_of_a_process_that_had_threads_does_not_wait_for_them(self):
        found = testing.script(
            "import graphbonsai, os, signal\n"
            "g = graphbonsai.generate(nodes=6000, features=200, dense=1, classes=4, threads=4)\n"
            "want = graphbonsai.condense(g, 0.05, threads=4)\n"
            "print(len(os.listdir('/proc/self/task')) > 1)\n"
            "for threads in (0, 1, 4):\n"
            "    child = os.fork()\n"
            "    if child == 0:\n"
            "        signal.alarm(60)\n"
            "        found = graphbonsai.condense(g, 0.05, threads=threads)\n"
            "        graphbonsai.train(found, g, epochs=2, seeds=1, threads=threads)\n"
            "        os._exit(0 if found.equal(want) else 1)\n"
            "    print(os.waitpid(child, 0)[1])\n", OMP_NUM_THREADS="")
        self.assertEqual(found.stdout.split(), ["True", "0", "0", "0"], found.stderr)


class Threads(testing.Case):
    def test_other_threads_run_during_a_call(self):
        g = graphbonsai.generate(nodes=5000, features=200, dense=1, threads=1)
        beats, done = [], threading.Event()

        def beat():
            while not done.is_set():
                beats.append(time.monotonic())
                time.sleep(0.005)
        thread = threading.Thread(target=beat)
        thread.start()
        start = time.monotonic()
        graphbonsai.train(g, epochs=60, seeds=1, threads=1)
        end = time.monotonic()
        done.set()
        thread.join()
        during = [b for b in beats if start < b < end]
        self.assertGreater(end - start, 0.1)
        self.assertGreater(len(during), (end - start) / 0.1)

    def test_errors_belong_to_their_thread(self):
        wrong = []

        def load(name):
            for _ in range(200):
                try:
                    graphbonsai.Graph.load(name)
                except graphbonsai.FileError as error:
                    if not str(error).startswith(name + ":"):
                        wrong.append(str(error))
        threads = [threading.Thread(target=load, args=("/no/such/%d" % i,)) for i in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_a_graph_closed_by_another_thread_lives_until_the_call_ends(self):
        live = graphbonsai.Graph._live

        def closed_at_once(g):          # the moment when another thread closes it
            handle = live(g)
            g.close()
            return handle
        graphbonsai.Graph._live = closed_at_once
        try:
            for use, want in ((lambda g: g.check(), None), (lambda g: g.num_edges, 6),
                              (lambda g: len(g), 3), (lambda g: g.directed, False),
                              (lambda g: g.split((50, 0, 50)).closed, False),
                              (lambda g: g.changes["edges_given"], 3),
                              (lambda g: g.y.tolist(), [0, 1, 0]),
                              (lambda g: g.induce([2]).closed, False),
                              (lambda g: g.equal(testing.triangle()), True)):
                self.assertEqual(use(testing.triangle()), want)
        finally:
            graphbonsai.Graph._live = live

    def test_threads_share_a_graph(self):
        g = testing.small_world()
        want = graphbonsai.condense(g, 0.1, threads=1)
        found = []
        threads = [threading.Thread(target=lambda: found.append(
            graphbonsai.condense(g, 0.1, threads=1).equal(want))) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, [True] * 4)


if __name__ == "__main__":
    testing.main()
