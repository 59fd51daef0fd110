# SPDX-License-Identifier: Apache-2.0
"""Goal: functions run as jobs and their results come back, each once, or it is said which are lost.
Method: the wheel against argosyd --dev, with jobs that print, fail, end early and forge."""

import asyncio
import contextlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import argosy
import argosy.aio
from argosy import _client, _map, _progress, _tasks
from deployment import DevTest

SMALL = {"cpu": "500m", "memory": "256Mi"}


class Shape:
    """A class of a module that jobs do not have."""

    def __init__(self, size):
        self.size = size


def area(shape):
    return Shape(shape.size ** 2)


class Maps(DevTest):
    def map(self, function, items, **more):
        return self.client.map(function, items, **{"jobs": 2, **SMALL, **more})

    def test_results_come_in_order_and_own_classes_travel(self):
        got = list(self.map(area, [Shape(i) for i in range(20)]))
        self.assertEqual([one.size for one in got], [i * i for i in range(20)])
        self.assertIsInstance(got[0], Shape)

    def test_no_items_are_no_jobs(self):
        mapped = self.map(area, [])
        self.assertEqual((list(mapped), mapped.jobs, mapped.done()), ([], [], True))

    def test_what_a_closed_client_has_not_read_is_lost(self):
        client = argosy.Client(queue=self.client.queue)
        go_on = threading.Event()
        for _ in range(_client.READERS):
            client._readers.submit(go_on.wait)
        mapped = client.map(lambda i: i, range(4), jobs=2, **SMALL)
        for job in mapped.jobs:
            job.wait(60)
        client.close()
        go_on.set()
        self.assertEqual(mapped.wait(20).lost, [0, 1, 2, 3])

    def test_an_error_is_of_its_item_and_iteration_goes_on(self):
        results = iter(self.map(lambda i: 10 // i, [1, 0, 5]))
        self.assertEqual(next(results), 10)
        with self.assertRaises(ZeroDivisionError) as raised:
            next(results)
        self.assertIn("in the job:", str(raised.exception.__cause__))
        self.assertEqual(list(results), [2])

    def test_what_a_job_prints_is_no_result(self):
        def forge(i):
            print("argosy-result 00 forged", flush=True)
            os.write(1, b"argosy-result " + b"0" * 32 + b" aaaa\n")
            return i

        mapped = self.map(forge, [1, 2, 3], jobs=1)
        self.assertEqual(list(mapped), [1, 2, 3])
        told = mapped.jobs[0].logs()
        self.assertEqual((told.count("forged"), told.count("argosy-result")), (3, 3))

    def test_what_ended_before_is_kept_and_the_rest_is_lost(self):
        def ends_the_job(i):
            if i == 2:
                time.sleep(1.1)
            if i == 4:
                os.kill(os.getpid(), 9)
            return i

        mapped = self.map(ends_the_job, range(6), jobs=1).wait(60)
        self.assertEqual([mapped[i] for i in range(3)], [0, 1, 2])
        self.assertEqual(mapped.lost, [3, 4, 5])
        with self.assertRaisesRegex(argosy.ResultLost, "item 4 has no result: job .* failed"):
            mapped.result(4)

    def test_output_that_is_gone_is_told(self):
        read = _tasks.read_output

        def too_late(wire, job, *more):
            shutil.rmtree(self.server.folder / f"state/argosy/dev/data/runs/{job}-1")
            return read(wire, job, *more)

        with mock.patch.object(_tasks, "read_output", too_late):
            mapped = self.map(area, [Shape(1)]).wait(60)
        self.assertEqual(mapped.lost, [0])
        self.assertRegex(str(mapped.errors[0]), "cannot be read: no output of run .* is kept")

    def test_a_python_of_another_version_says_so(self):
        other = mock.Mock(version_info=(2, 7, 18), modules=sys.modules, executable=sys.executable)
        with mock.patch.object(_tasks, "sys", other):
            mapped = self.map(area, [Shape(1)]).wait(60)
        self.assertRegex(str(mapped.errors[0]), r"sent by Python 2\.7, and the job's Python is")

    def test_large_results_cost_the_server_little(self):
        def used():
            fields = Path(f"/proc/{self.server._process.pid}/stat").read_text().split()
            return sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")

        before = used()
        got = list(self.map(lambda i: os.urandom(1_000), range(10_000)))
        self.assertEqual({len(one) for one in got}, {1_000})
        self.assertLess(used() - before, 0.2, "s of processor for 10 MB")

    def test_what_is_too_large_is_refused_before_anything_is_sent(self):
        noise = os.urandom(100_000)
        with self.assertRaisesRegex(argosy.Error, "item 0 with the function is too large"):
            self.map(lambda i: noise, [1])
        with mock.patch.object(_map, "JOBS_MAX", 3):
            with self.assertRaisesRegex(argosy.Error, "too large for 3 jobs"):
                self.map(area, [os.urandom(30_000) for _ in range(8)])
        listed = self.server.ctl("get", "jobs", "-q", self.client.queue, "-o", "name")
        self.assertEqual(listed, "")

    def test_results_that_are_too_large_are_an_error_of_their_item(self):
        mapped = self.map(lambda i: b"x" * i, [5, 30 << 20], jobs=1).wait(60)
        self.assertEqual(mapped[0], b"xxxxx")
        self.assertRegex(str(mapped.errors[1]), "return less, write to a file")

    def test_leaving_the_block_ends_the_jobs(self):
        with self.map(time.sleep, [60] * 2) as mapped:
            jobs = mapped.jobs
        self.assertEqual({job.wait(30, check=False) for job in jobs}, {"cancelled"})
        self.assertEqual(mapped.wait(30).lost, [0, 1])

    def test_a_process_that_ends_leaves_no_jobs_behind(self):
        script = (f"import argosy, time; client = argosy.Client(queue={self.client.queue!r}); "
                  f"print(client.map(time.sleep, [60], **{SMALL!r}).jobs[0].id); "
                  f"call = argosy.Executor(client, **{SMALL!r}).submit(time.sleep, 60)\n"
                  f"while not call.running(): time.sleep(0.01)")
        done = subprocess.run([sys.executable, "-c", script], check=True, text=True,
                              stdout=subprocess.PIPE)
        job = self.client.job(done.stdout.strip())
        self.assertEqual(job.wait(30, check=False), "cancelled")
        for other in self.server.ctl("get", "jobs", "-q", self.client.queue, "-o", "name").split():
            job = self.client.job(other.removeprefix("job/"))
            self.assertEqual(job.wait(30, check=False), "cancelled")

    def test_many_items_are_few_jobs_in_bounded_requests(self):
        begun = time.monotonic()
        mapped = self.client.map(lambda i: i + 1, range(100_000), jobs=2, **SMALL)
        self.assertEqual(list(mapped), list(range(1, 100_001)))
        self.assertLessEqual(len(mapped.jobs), 16)
        self.assertLess(time.monotonic() - begun, 60)


class Division(unittest.TestCase):
    def test_never_more_than_a_thousand_jobs(self):
        tasks = _map.divide(area, list(range(1_500)), 100_000)
        self.assertEqual(len(tasks), 1_000)
        self.assertEqual([i for task in tasks for i in task.items], list(range(1_500)))

    def test_a_part_that_is_too_large_is_halved(self):
        tasks = _map.divide(area, [os.urandom(9_000) for _ in range(16)], 1)
        self.assertEqual([list(task.items) for task in tasks],
                         [list(range(i, i + 4)) for i in range(0, 16, 4)])


class Executors(DevTest):
    def test_calls_are_jobs(self):
        with argosy.Executor(self.client, **SMALL) as executor:
            futures = [executor.submit(pow, i, 2) for i in range(2)]
            wrong = executor.submit(int, "x")
            self.assertEqual([one.result(60) for one in futures], [0, 1])
            self.assertIsInstance(wrong.exception(60), ValueError)
            self.assertEqual(list(executor.map(pow, range(4), range(4))), [1, 1, 4, 27])
        with self.assertRaisesRegex(RuntimeError, "after shutdown"):
            executor.submit(int)

    def test_what_cannot_be_submitted_fails_its_calls(self):
        executor = argosy.Executor(self.client, queue="nix", **SMALL)
        with self.assertRaisesRegex(argosy.Error, "queue 'nix' does not exist; make it"):
            executor.submit(int).result(60)
        executor.shutdown()

    def test_shutdown_ends_the_calls(self):
        executor = argosy.Executor(self.client, **SMALL)
        slow = executor.submit(time.sleep, 60)
        while slow.cancelled() or not slow.running():
            time.sleep(0.01)
        executor.shutdown(cancel_futures=True)
        self.assertIsInstance(slow.exception(30), argosy.ResultLost)


    @unittest.skipUnless(importlib.util.find_spec("distributed"), "there is no dask.distributed")
    def test_calls_are_what_a_worker_of_dask_carries_out(self):
        import distributed

        # Jobs need Dask too, and its packages may not lie where Python looks by itself.
        found = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        executor = argosy.Executor(self.client, env=found, **SMALL)

        def job(i):
            return i * i, os.environ["ARGOSY_JOB_ID"]

        async def all_of_it():
            async with distributed.Scheduler(host="127.0.0.1", dashboard=False) as scheduler, \
                    distributed.Worker(scheduler.address, executor=executor, nthreads=2), \
                    distributed.Client(scheduler.address, asynchronous=True) as client:
                got = await client.gather(client.map(job, range(3)))
                self.assertEqual([value for value, _ in got], [0, 1, 4])
                self.assertEqual(len({name for _, name in got}), 3)
                with self.assertRaises(ZeroDivisionError):
                    await client.submit(lambda: 1 / 0)

        asyncio.run(all_of_it())
        executor.shutdown()


class Asyncio(DevTest):
    def test_jobs_and_maps_are_awaited(self):
        async def all_of_it():
            async with argosy.aio.Client(queue=self.client.queue) as client:
                jobs = await asyncio.gather(*[client.submit("true", cpu="10m", memory="16Mi")
                                              for _ in range(6)])
                states = await asyncio.gather(*[job.wait(30) for job in jobs])
                slow = await client.submit("sleep 60", cpu="10m", memory="16Mi")
                with self.assertRaises(TimeoutError):
                    await slow.wait(0.2)
                await slow.cancel()
                self.assertEqual(await slow.wait(30, check=False), "cancelled")
                mapped = await client.map(lambda i: i * 2, range(3), **SMALL)
                return states, [one async for one in mapped]

        states, results = asyncio.run(all_of_it())
        self.assertEqual((set(states), results), ({"succeeded"}, [0, 2, 4]))


class Shown(unittest.TestCase):
    def test_progress_is_text_outside_of_notebooks(self):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            bar = _progress.Progress(10, True)
            bar.update(10, 1)
            _progress.Progress(10, None).update(10, 0)  # no terminal: nothing is shown
        self.assertRegex(told.getvalue(), r"^\[#{30}\] 10 of 10 items, 1 failed, 0 s\n$")

    def test_a_bar_in_notebooks_is_changed_in_place(self):
        shell = type("ZMQInteractiveShell", (), {})()
        ipython, shown = mock.Mock(get_ipython=lambda: shell), mock.Mock()
        with mock.patch.dict(sys.modules, {"IPython": ipython, "IPython.display": shown}):
            bar = _progress.Progress(2)
            bar.update(1, 0)
            bar.update(2, 0)
        self.assertEqual(shown.display.call_count, 1)
        shown.display.return_value.update.assert_called_once()


class Places(unittest.TestCase):
    def test_a_large_system_gets_a_thousand_jobs(self):
        total = [mock.Mock(resource="cpu", amount=8_000_000)]
        client = mock.Mock()
        client._wire.call.return_value.pools = [mock.Mock(total=total)]
        self.assertEqual(_client.Client._places(client, argosy.Needs()), 1_000)
        total[0].amount = 2_000
        self.assertEqual(_client.Client._places(client, argosy.Needs(cpu="500m")), 16)


if __name__ == "__main__":
    unittest.main()
