// SPDX-License-Identifier: Apache-2.0
// This file defines the codec of an agent's session with the control plane: hellos, heartbeats and
// the goodbye.
#include <algorithm>
#include <limits>

#include "messages/codec/agent/agent_codec.hpp"
#include "messages/codec/arena_decode.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/agent.pb.h"
#include "runtime/model/queue.hpp"

namespace argosy::codec {

namespace {

namespace wire = argosy::agent::v1;
namespace wire_log = argosy::log::v1;

/// What an entry takes for its field's tag and length, and what each part of a hello takes besides
/// its entries.
constexpr std::size_t entry_head_bytes = 6;
constexpr std::size_t part_head_bytes = 16;

result<model::known_run> from_wire(const wire::KnownRun& in) {
  auto run = codec::from_wire(in.run());
  if (!run) return fail(std::move(run.error()));
  auto phase = enum_from_wire(in.phase(), model::run_phase::unknown, "phase of a run");
  if (!phase) return fail(std::move(phase.error()));
  if (auto ok = model::validate_queue_name(in.queue(), "queue"); !ok)
    return fail(std::move(ok.error()));
  return model::known_run{*run, model::queue_name{in.queue()}, *phase, model::node_name{in.node()},
                          in.namespace_()};
}

/// The words are for people, and go into tables and sentences, which have no room for more.
constexpr std::size_t trouble_bytes_max = 1000;

/// That there is trouble counts, whatever its words.
model::backend_trouble trouble_from_wire(const wire::Hello& in) {
  const auto words = [](const std::string& from) {
    const auto fit = model::validate_printable(from, "trouble", trouble_bytes_max);
    return from.empty() || fit ? from : "its agent does not say why";
  };
  return {words(in.trouble()), in.trouble().empty() ? 0 : in.trouble_since_ns(), words(in.lacks())};
}

}  // namespace

std::vector<std::string> encode_parts(const model::agent_hello& hello, std::size_t bytes_max) {
  std::vector<std::string> parts;
  wire::Hello out;
  codec::to_wire(hello.cluster, *out.mutable_cluster());
  out.set_epoch_seen(hello.epoch_seen.value);
  out.set_nonce_seen(hello.nonce_seen.value);
  out.set_said_ns(hello.said_ns);
  out.set_take_over(hello.take_over);
  out.set_control_plane(hello.control_plane);
  out.set_all_runs(hello.all_runs);
  out.set_version(hello.version);
  out.set_trouble(hello.trouble.why);
  out.set_trouble_since_ns(hello.trouble.since_ns);
  out.set_lacks(hello.trouble.lacks);
  out.set_lapse(hello.lapse);
  out.set_finds(hello.finds);
  const auto head_bytes = out.ByteSizeLong() + part_head_bytes;
  auto bytes = head_bytes;
  const auto close = [&](bool more) {
    out.set_part(static_cast<std::uint32_t>(parts.size()));
    out.set_more(more);
    parts.push_back(out.SerializeAsString());
    out.clear_nodes();
    out.clear_runs();
    bytes = head_bytes;
  };
  // Calls `add`, which puts the entry into the part, after closing a part that it does not fit
  // into.
  const auto place = [&](const auto& entry, auto add) {
    const auto size = entry.ByteSizeLong() + entry_head_bytes;
    if (bytes > head_bytes && size > bytes_max - std::min(bytes, bytes_max)) close(true);
    bytes += size;
    add();
  };
  for (const auto& node : hello.nodes) {
    wire_log::Node entry;
    codec::to_wire(node, entry);
    place(entry, [&] { *out.add_nodes() = std::move(entry); });
  }
  for (const auto& run : hello.runs) {
    wire::KnownRun entry;
    codec::to_wire(run.run, *entry.mutable_run());
    entry.set_queue(run.queue);
    entry.set_phase(static_cast<std::uint32_t>(run.phase));
    entry.set_node(run.node);
    entry.set_namespace_(run.name_space);
    place(entry, [&] { *out.add_runs() = std::move(entry); });
  }
  close(false);
  return parts;
}

std::string encode(const model::agent_hello& hello) {
  return encode_parts(hello, std::numeric_limits<std::size_t>::max()).front();
}

result<hello_part> decode_hello_part(std::string_view bytes) {
  return decode_with<wire::Hello>(bytes, "hello", [](const auto& in) -> result<hello_part> {
    if (auto ok = model::validate_name(in.cluster().name(), "cluster"); !ok)
      return fail(std::move(ok.error()));
    if (auto ok = model::validate_name(in.cluster().pool(), "pool"); !ok)
      return fail(std::move(ok.error()));
    hello_part out;
    out.number = in.part();
    out.more = in.more();
    auto& hello = out.hello;
    hello.cluster = codec::from_wire(in.cluster());
    hello.epoch_seen = {in.epoch_seen()};
    hello.nonce_seen = {in.nonce_seen()};
    hello.said_ns = in.said_ns();
    hello.take_over = in.take_over();
    hello.control_plane = in.control_plane();
    hello.all_runs = in.all_runs();
    // Nobody decides by it, so that a strange one is no reason to refuse the agent.
    if (model::validate_printable(in.version(), "version", model::name_size_max))
      hello.version = in.version();
    hello.trouble = trouble_from_wire(in);
    hello.lapse = in.lapse();
    hello.finds = in.finds();
    for (const auto& entry : in.nodes()) {
      if (entry.name().empty()) return fail(ec::invalid_argument, "node name is empty");
      if (auto ok = model::validate_printable(entry.name(), "node name", model::name_size_max); !ok)
        return fail(std::move(ok.error()));
      auto node = codec::from_wire(entry);
      if (!node) return fail(std::move(node.error()));
      hello.nodes.push_back(std::move(*node));
    }
    for (const auto& entry : in.runs()) {
      auto run = from_wire(entry);
      if (!run) return fail(std::move(run.error()));
      hello.runs.push_back(std::move(*run));
    }
    return out;
  });
}

result<model::agent_hello> decode_hello(std::string_view bytes) {
  auto part = decode_hello_part(bytes);
  if (!part) return fail(std::move(part.error()));
  if (part->number != 0 || part->more)
    return fail(ec::invalid_argument, "this is a part of a hello");
  return std::move(part->hello);
}

std::string encode(const model::hello_ack& ack) {
  wire::HelloAck out;
  out.set_epoch(ack.epoch.value);
  out.set_lease_ns(ack.lease_ns);
  out.set_heartbeat_ns(ack.heartbeat_ns);
  out.set_compare_ns(ack.compare_ns);
  out.set_kill_grace_ns(ack.kill_grace_ns);
  out.set_nonce(ack.nonce.value);
  out.set_control_plane(ack.control_plane);
  out.set_incarnation(ack.incarnation.value);
  out.set_begin_anew(ack.begin_anew);
  return out.SerializeAsString();
}

result<model::hello_ack> decode_hello_ack(std::string_view bytes) {
  return decode_with<wire::HelloAck>(
      bytes, "answer to a hello", [](const auto& in) -> result<model::hello_ack> {
        return model::hello_ack{{in.epoch()},
                                in.lease_ns(),
                                in.heartbeat_ns(),
                                in.compare_ns(),
                                std::max<std::int64_t>(in.kill_grace_ns(), 0),
                                {in.nonce()},
                                in.control_plane(),
                                {in.incarnation()},
                                in.begin_anew()};
      });
}

std::string encode(const model::agent_heartbeat& heartbeat) {
  wire::Heartbeat out;
  out.set_cluster(heartbeat.cluster);
  out.set_incarnation(heartbeat.incarnation.value);
  out.set_process(heartbeat.process.value);
  out.set_said_ns(heartbeat.said_ns);
  return out.SerializeAsString();
}

result<model::agent_heartbeat> decode_heartbeat(std::string_view bytes) {
  return decode_with<wire::Heartbeat>(
      bytes, "heartbeat", [](const auto& in) -> result<model::agent_heartbeat> {
        if (auto ok = model::validate_name(in.cluster(), "cluster"); !ok)
          return fail(std::move(ok.error()));
        return model::agent_heartbeat{
            model::cluster_name{in.cluster()}, {in.incarnation()}, {in.process()}, in.said_ns()};
      });
}

std::string encode(const model::heartbeat_ack& ack) {
  wire::HeartbeatAck out;
  out.set_epoch(ack.epoch.value);
  out.set_lease_ns(ack.lease_ns);
  out.set_hello_wanted(ack.hello_wanted);
  out.set_kill_grace_ns(ack.kill_grace_ns);
  out.set_nonce(ack.nonce.value);
  out.set_control_plane(ack.control_plane);
  return out.SerializeAsString();
}

result<model::heartbeat_ack> decode_heartbeat_ack(std::string_view bytes) {
  return decode_with<wire::HeartbeatAck>(
      bytes, "answer to a heartbeat", [](const auto& in) -> result<model::heartbeat_ack> {
        return model::heartbeat_ack{
            {in.epoch()},      in.lease_ns(),
            in.hello_wanted(), std::max<std::int64_t>(in.kill_grace_ns(), 0),
            {in.nonce()},      in.control_plane()};
      });
}

std::string encode(const model::agent_goodbye& goodbye) {
  wire::Goodbye out;
  out.set_cluster(goodbye.cluster);
  out.set_incarnation(goodbye.incarnation.value);
  out.set_reason(goodbye.reason);
  out.set_process(goodbye.process.value);
  return out.SerializeAsString();
}

result<model::agent_goodbye> decode_goodbye(std::string_view bytes) {
  return decode_with<wire::Goodbye>(
      bytes, "goodbye", [](const auto& in) -> result<model::agent_goodbye> {
        if (auto ok = model::validate_name(in.cluster(), "cluster"); !ok)
          return fail(std::move(ok.error()));
        return model::agent_goodbye{
            model::cluster_name{in.cluster()}, {in.incarnation()}, in.reason(), {in.process()}};
      });
}

}  // namespace argosy::codec
