"""A stand-in for Kubernetes: it answers what Spark's driver asks, and runs pods as processes of this machine.

A pod does what the entry point of Spark's images does for an executor. There is no image here, no network between pods,
and nobody who may be refused."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pyspark

JARS: Final = Path(pyspark.__file__).parent / "jars"
EXECUTOR: Final = "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend"
ADDRESS: Final = "127.0.0.1"
OPTION: Final = "SPARK_JAVA_OPT_"


class Pod:
    def __init__(self, told: dict[str, Any], java: Path, folder: Path) -> None:
        self.told = told
        told["metadata"] |= {
            "uid": str(uuid.uuid4()), "namespace": "default", "creationTimestamp": "2026-01-01T00:00:00Z",
        }  # fmt: skip
        self.name: str = told["metadata"]["name"]
        (container,) = told["spec"]["containers"]
        self.image: str = container["image"]
        env = {each["name"]: each.get("value", "") for each in container["env"]}
        options = [value for name, value in sorted(env.items()) if name.startswith(OPTION)]
        work = folder / self.name
        work.mkdir()
        command = [
            java, *options, f"-Xmx{env['SPARK_EXECUTOR_MEMORY']}", "-cp", f"{JARS}/*", EXECUTOR,
            "--driver-url", env["SPARK_DRIVER_URL"], "--executor-id", env["SPARK_EXECUTOR_ID"],
            "--cores", env["SPARK_EXECUTOR_CORES"], "--app-id", env["SPARK_APPLICATION_ID"], "--hostname", ADDRESS,
            "--resourceProfileId", env["SPARK_RESOURCE_PROFILE_ID"], "--podName", self.name,
        ]  # fmt: skip
        own = {"SPARK_LOCAL_DIRS": str(work), "SPARK_HOME": str(JARS.parent), "SPARK_USER": env.get("SPARK_USER", "")}
        with (work / "log").open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=work, env={**os.environ, **own}, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def as_told(self) -> dict[str, Any]:
        code = self.process.poll()
        phase = "Running" if code is None else "Failed" if code else "Succeeded"
        return {**self.told, "status": {"phase": phase, "podIP": ADDRESS}}


class Kubernetes(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, java: Path, folder: Path) -> None:
        super().__init__((ADDRESS, 0), _Api)
        self.java = java
        self.folder = folder
        self.lock = threading.Lock()
        self.pods: dict[str, Pod] = {}
        self.all_pods: list[Pod] = []

    @property
    def master(self) -> str:
        """As --spark-master takes it."""
        return f"k8s://http://{ADDRESS}:{self.server_port}"

    def start(self, told: dict[str, Any]) -> Pod:
        with self.lock:
            pod = Pod(told, self.java, self.folder)
            self.pods[pod.name] = pod
            self.all_pods.append(pod)
            return pod

    def end(self, name: str | None = None) -> None:
        """None: all of them."""
        with self.lock:
            for pod in [each for each in self.pods.values() if name in (None, each.name)]:
                del self.pods[pod.name]
                pod.process.kill()
                pod.process.wait()


class _Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Kubernetes

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass

    def do_GET(self) -> None:
        kind, name = self._asked()
        pods = [pod.as_told() for pod in [*self.server.pods.values()]] if kind == "pods" else []
        if name is None:
            self._tell(
                200, {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": pods}
            )
        else:
            found = [pod for pod in pods if pod["metadata"]["name"] == name]
            self._tell(200, found[0]) if found else self._refuse()

    def do_POST(self) -> None:
        told = self._read()
        self._tell(201, self.server.start(told).as_told() if self._asked()[0] == "pods" else told)

    def do_PATCH(self) -> None:
        self._read()
        kind, name = self._asked()
        pod = self.server.pods.get(name or "") if kind == "pods" else None
        self._refuse() if pod is None else self._tell(200, pod.as_told())

    def do_DELETE(self) -> None:
        self._read()
        kind, name = self._asked()
        if kind == "pods":
            self.server.end(name)
        self._tell(200, {"kind": "Status", "apiVersion": "v1", "status": "Success"})

    def _asked(self) -> tuple[str, str | None]:
        """As in /api/v1/namespaces/default/pods/name."""
        parts = urlsplit(self.path).path.strip("/").split("/")
        return (parts[4] if len(parts) > 4 else ""), (parts[5] if len(parts) > 5 else None)

    def _read(self) -> dict[str, Any]:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        told: dict[str, Any] = json.loads(body or b"{}") if body[:1] == b"{" else {}
        return told

    def _refuse(self) -> None:
        self._tell(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404})

    def _tell(self, code: int, told: dict[str, Any]) -> None:
        body = json.dumps(told).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def kubernetes(java: Path, folder: Path) -> Iterator[Kubernetes]:
    with Kubernetes(java, folder) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.end()
            server.shutdown()
            thread.join()


def conf_for_pods(folder: Path, light: str) -> Path:
    """What docs/spark-clusters.md would have in spark-defaults.conf, and what makes small jobs of it."""
    conf = folder / "conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(
        "spark.kubernetes.container.image registry/shaketable-spark:1\n"
        "spark.kubernetes.executor.enableApiWatcher false\nspark.kubernetes.executor.apiPollingInterval 1s\n"
        f"spark.driver.host {ADDRESS}\nspark.driver.bindAddress {ADDRESS}\n"
        "spark.executor.instances 2\nspark.executor.cores 1\nspark.executor.memory 512m\n"
        f"spark.executor.extraJavaOptions {light}\nspark.driver.extraJavaOptions {light}\n"
        "spark.sql.shuffle.partitions 2\n"
    )
    return conf
