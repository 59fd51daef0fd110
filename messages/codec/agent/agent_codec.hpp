// SPDX-License-Identifier: Apache-2.0
// The messages between the control plane and agents: the values of model/agent.hpp as
// argosy.agent.v1, and the records of an agent's own store. Decoders take bytes from whoever speaks
// on the bus: they check the names of clusters, nodes and queues, since keys and subjects are made
// of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/agent/executor_effect.hpp"
#include "runtime/model/agent.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::codec {

[[nodiscard]] std::string encode(const model::agent_orders& orders);
[[nodiscard]] std::string encode(const model::report_batch& batch);
[[nodiscard]] std::string encode(const model::report_ack& ack);
[[nodiscard]] std::string encode(const model::agent_hello& hello);
/// The parts of a hello in order, at least one. Each has at most `bytes_max` bytes, unless a single
/// node or run is larger.
[[nodiscard]] std::vector<std::string> encode_parts(const model::agent_hello& hello,
                                                    std::size_t bytes_max);
[[nodiscard]] std::string encode(const model::hello_ack& ack);
[[nodiscard]] std::string encode(const model::agent_heartbeat& heartbeat);
[[nodiscard]] std::string encode(const model::heartbeat_ack& ack);
[[nodiscard]] std::string encode(const model::agent_goodbye& goodbye);
[[nodiscard]] std::string encode(const model::log_request& request);
/// `packs`: whoever gets it can unpack, see pack_output().
[[nodiscard]] std::string encode(const model::log_chunk& chunk, bool packs = false);

/// A hello that is too long for one frame comes in parts, each with some of the nodes and runs.
struct hello_part {
  model::agent_hello hello;
  std::uint32_t number = 0;
  bool more = false;  ///< Another part follows.
};

/// What one frame of a divided message holds at most, well below the 8 MiB of a server's frame.
inline constexpr std::size_t frame_part_bytes = 4 * 1024 * 1024;

// Decoders fail with ec::corrupt for bytes that are no such message, and with ec::invalid_argument
// for names that are not allowed.
[[nodiscard]] result<model::agent_orders> decode_orders(std::string_view bytes);
[[nodiscard]] result<model::report_batch> decode_reports(std::string_view bytes);
[[nodiscard]] result<model::report_ack> decode_report_ack(std::string_view bytes);
[[nodiscard]] result<hello_part> decode_hello_part(std::string_view bytes);
/// Decodes a hello that came whole.
[[nodiscard]] result<model::agent_hello> decode_hello(std::string_view bytes);
[[nodiscard]] result<model::hello_ack> decode_hello_ack(std::string_view bytes);
[[nodiscard]] result<model::agent_heartbeat> decode_heartbeat(std::string_view bytes);
[[nodiscard]] result<model::heartbeat_ack> decode_heartbeat_ack(std::string_view bytes);
[[nodiscard]] result<model::agent_goodbye> decode_goodbye(std::string_view bytes);
[[nodiscard]] result<model::log_request> decode_log_request(std::string_view bytes);
[[nodiscard]] result<model::log_chunk> decode_log_chunk(std::string_view bytes);

/// A run as an agent records it before it starts it (table runs).
using model::agent_run;

[[nodiscard]] std::string encode(const agent_run& run);
[[nodiscard]] result<agent_run> decode_agent_run(std::string_view bytes);

/// The key of a run in table runs: the job's id and the run's number, big-endian.
[[nodiscard]] std::string agent_run_key(const model::run_key& run);

/// What an agent knows besides runs and reports (table meta, key agent_facts_key).
[[nodiscard]] std::string encode(const ledger::executor_facts& facts);
[[nodiscard]] result<ledger::executor_facts> decode_agent_facts(std::string_view bytes);
inline constexpr std::string_view agent_facts_key = "executor";

/// A single report, as an agent's outbox keeps it (table outbox, key = its number).
[[nodiscard]] std::string encode(const model::run_report& report);
[[nodiscard]] result<model::run_report> decode_report(std::string_view bytes);

}  // namespace argosy::codec
