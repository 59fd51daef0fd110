# SPDX-License-Identifier: Apache-2.0
"""Calls of the API over gRPC. The messages stand in a pool of their own, beside those of other
packages that define the same names."""

from __future__ import annotations

import importlib.resources
import threading
import time
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from ._contexts import Address
from ._errors import Error, Unreachable

PACKAGES = {"Submit": "api", "Jobs": "api", "Event": "api", "QueueService": "api"}
REQUEST_TIMEOUT_S = 60.0
PATIENCE_S = 300.0  # so long a server that is away is tried again
PAUSE_S, PAUSE_MAX_S = 0.1, 2.0
# A server that was not reached, is starting or has too much to do may answer later.
PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED,
           grpc.StatusCode.DEADLINE_EXCEEDED)


def _load() -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    data = importlib.resources.files(__package__).joinpath("api.descriptors").read_bytes()
    for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


POOL = _load()
if hasattr(message_factory, "GetMessageClass"):
    _make_class = message_factory.GetMessageClass
else:
    _make_class = message_factory.MessageFactory(POOL).GetPrototype
_making = threading.Lock()


def _class_of(described: Any) -> Any:
    """The class of a message. Another thread must not meet one whose parts have none yet."""
    with _making:
        return _make_class(described)


def message(name: str, **fields: Any) -> Any:
    """A message of the API, such as api.JobSubmitRequest."""
    return _class_of(POOL.FindMessageTypeByName(name))(**fields)


def job_state(number: int) -> str:
    """A state in words, such as "succeeded"."""
    states = POOL.FindEnumTypeByName("api.JobState").values_by_number
    return states[number].name.lower() if number in states else "unknown"


def _sentence(error: grpc.RpcError) -> str:
    return str(error.details() or error.code().name)


class Wire:
    """A connection to one server. It may be used by any thread."""

    def __init__(self, address: Address, patience_s: float = PATIENCE_S) -> None:
        self.address = address
        self.patience_s = patience_s
        # Packing an answer takes argosyd longer than a network takes to bring it: what is large is
        # the results of a map, which are packed already.
        options = [("grpc.compression_enabled_algorithms_bitset", 1),
                   ("grpc.max_receive_message_length", 64 << 20),
                   ("grpc.keepalive_time_ms", 60_000),
                   ("grpc.initial_reconnect_backoff_ms", 100),
                   ("grpc.min_reconnect_backoff_ms", 1_000),
                   ("grpc.max_reconnect_backoff_ms", 2_000)]
        if address.encrypted:
            proof = grpc.ssl_channel_credentials(address.authorities)
            self._channel = grpc.secure_channel(address.target, proof, options)
        else:
            self._channel = grpc.insecure_channel(address.target, options)

    def close(self) -> None:
        self._channel.close()

    def call(self, method: str, request: Any = None, *,
             metadata: dict[str, str] | None = None, timeout_s: float = REQUEST_TIMEOUT_S,
             patience_s: float | None = None, **fields: Any) -> Any:
        """Calls "Service.Method" and returns its answer. It is tried again while the server is
        away: nothing that is asked here does harm the second time."""
        stub, kind, _ = self._method(method)
        asked = request if request is not None else kind(**fields)
        until = time.monotonic() + (self.patience_s if patience_s is None else patience_s)
        pause = PAUSE_S
        while True:
            try:
                return stub(asked, timeout=timeout_s, metadata=self._metadata(metadata))
            except ValueError as closed:
                raise Error(f"the client is closed: {closed}", "CANCELLED") from None
            except grpc.RpcError as error:
                if error.code() not in PASSING or time.monotonic() + pause > until:
                    raise self._error(error) from None
            time.sleep(pause)
            pause = min(2 * pause, PAUSE_MAX_S)

    def stream(self, method: str, metadata: dict[str, str] | None = None,
               **fields: Any) -> Any:
        """Opens a stream; whoever reads it gets grpc.RpcError when it breaks."""
        stub, kind, _ = self._method(method)
        try:
            return stub(kind(**fields), metadata=self._metadata(metadata))
        except ValueError as closed:
            raise Error(f"the client is closed: {closed}", "CANCELLED") from None

    def _method(self, method: str) -> tuple[Any, Any, Any]:
        service, name = method.split(".")
        full = f"{PACKAGES.get(service, 'argosy.v1')}.{service}"
        described = POOL.FindServiceByName(full).methods_by_name[name]
        request, answer = _class_of(described.input_type), _class_of(described.output_type)
        streams = method in ("Event.GetJobSetEvents", "Event.Watch")
        make = self._channel.unary_stream if streams else self._channel.unary_unary
        stub = make(f"/{full}/{name}", request_serializer=request.SerializeToString,
                    response_deserializer=answer.FromString)
        return stub, request, answer

    def _metadata(self, more: dict[str, str] | None) -> list[tuple[str, str]]:
        out = list((more or {}).items())
        proof = self.address.authorization()
        return out + [("authorization", proof)] if proof else out

    def _error(self, error: grpc.RpcError) -> Error:
        if error.code() == grpc.StatusCode.UNAVAILABLE:
            return Unreachable(f"the server at {self.address.target} ({self.address.said_by}) does "
                               f"not answer: {_sentence(error)}")
        return Error(_sentence(error), error.code().name)
