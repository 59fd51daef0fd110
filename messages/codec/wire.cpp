// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/wire.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace argosy::codec {

namespace {

/// Protobuf prints a line for every message that it cannot decode. Here the caller gets the error
/// and decides; hostile bytes must not fill anybody's terminal or log.
void silence_protobuf() {
  static const bool once = [] {
    google::protobuf::SetLogHandler(nullptr);
    return true;
  }();
  static_cast<void>(once);
}

failure not_a(std::string_view what) {
  return fail(ec::corrupt, "not a " + std::string{what} + ": the bytes cannot be decoded");
}

}  // namespace

result<void> decode(std::string_view bytes, google::protobuf::MessageLite& message,
                    std::string_view what) {
  silence_protobuf();
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return not_a(what);
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return not_a(what);
  return {};
}

std::string encode_sorted(const google::protobuf::MessageLite& message) {
  std::string out(message.ByteSizeLong(), '\0');
  {
    google::protobuf::io::ArrayOutputStream stream{out.data(), static_cast<int>(out.size())};
    google::protobuf::io::CodedOutputStream coded{&stream};
    coded.SetSerializationDeterministic(true);
    message.SerializeWithCachedSizes(&coded);
  }
  return out;
}

result<ulid> ulid_from_wire(std::string_view bytes) {
  ulid id;
  if (bytes.size() != id.bytes.size())
    return fail(ec::corrupt,
                "an id has " + std::to_string(bytes.size()) + " bytes where 16 are due");
  std::memcpy(id.bytes.data(), bytes.data(), id.bytes.size());
  return id;
}

result<ulid> optional_ulid_from_wire(std::string_view bytes) {
  if (bytes.empty()) return ulid{};
  return ulid_from_wire(bytes);
}

void to_wire(const model::run_key& key, log::v1::RunKey& out) {
  const auto id = to_wire(key.job);
  out.set_job(id.data(), id.size());
  out.set_number(key.number);
}

result<model::run_key> from_wire(const log::v1::RunKey& in) {
  auto job = ulid_from_wire(in.job());
  if (!job) return fail(std::move(job.error()));
  return model::run_key{*job, in.number()};
}

void to_wire(const model::trace_context& trace, log::v1::TraceContext& out) {
  out.set_trace_id(trace.trace_id.data(), trace.trace_id.size());
  out.set_span_id(trace.span_id);
  out.set_sampled(trace.sampled);
}

result<model::trace_context> from_wire(const log::v1::TraceContext& in) {
  model::trace_context trace;
  if (in.trace_id().empty()) return trace;
  if (in.trace_id().size() != trace.trace_id.size())
    return fail(ec::corrupt, "a trace id has " + std::to_string(in.trace_id().size()) +
                                 " bytes where 16 are due");
  std::memcpy(trace.trace_id.data(), in.trace_id().data(), trace.trace_id.size());
  trace.span_id = in.span_id();
  trace.sampled = in.sampled();
  return trace;
}

void to_wire(const model::affinity_terms& terms, term_list& out) {
  for (const auto& term : terms) {
    auto& out_term = *out.Add();
    for (const auto& rule : term) {
      auto& out_rule = *out_term.add_rules();
      out_rule.set_key(rule.key);
      out_rule.set_operation(static_cast<std::uint32_t>(rule.operation));
      for (const auto& value : rule.values) out_rule.add_values(value);
    }
  }
}

result<model::affinity_terms> from_wire(const term_list& in) {
  model::affinity_terms out;
  for (const auto& in_term : in) {
    auto& term = out.emplace_back();
    for (const auto& in_rule : in_term.rules()) {
      auto operation =
          enum_from_wire(in_rule.operation(), model::affinity_rule::op::lt, "affinity operation");
      if (!operation) return fail(std::move(operation.error()));
      term.push_back(
          {in_rule.key(), *operation, {in_rule.values().begin(), in_rule.values().end()}});
    }
  }
  return out;
}

void to_wire(const model::run_outcome& outcome, log::v1::RunOutcome& out) {
  out.set_exit_known(outcome.exit_code.has_value());
  out.set_exit_code(outcome.exit_code.value_or(0));
  out.set_signal(outcome.signal);
  out.set_reason(outcome.reason);
  out.set_message(outcome.message);
  out.set_category(outcome.category);
  for (const auto& each : outcome.containers) {
    auto& container = *out.add_containers();
    container.set_name(each.name);
    container.set_exit_code(each.exit_code);
    container.set_reason(each.reason);
    container.set_message(each.message);
  }
  to_wire(outcome.reach, *out.mutable_reach());
}

model::run_outcome from_wire(const log::v1::RunOutcome& in) {
  model::run_outcome out{std::nullopt, in.signal(), in.reason(), in.message(), in.category()};
  if (in.exit_known() || in.exit_code() != 0) out.exit_code = in.exit_code();
  for (const auto& each : in.containers())
    out.containers.push_back({each.name(), each.exit_code(), each.reason(), each.message()});
  // Terms that this version cannot read are as good as none.
  if (auto reach = from_wire(in.reach())) out.reach = std::move(*reach);
  return out;
}

void to_wire(const model::pod_facts& pod, log::v1::PodFacts& out) {
  out.set_uid(pod.uid);
  for (const auto& [port, address] : pod.addresses) {
    auto& entry = *out.add_addresses();
    entry.set_port(port);
    entry.set_address(address);
  }
}

model::pod_facts from_wire(const log::v1::PodFacts& in) {
  model::pod_facts out{in.uid()};
  for (const auto& each : in.addresses()) out.addresses.emplace_back(each.port(), each.address());
  return out;
}

void to_wire(const model::run_usage& usage, log::v1::RunUsage& out) {
  to_wire(usage.peak, *out.mutable_peak());
  to_wire(usage.average, *out.mutable_average());
  to_wire(usage.total, *out.mutable_total());
}

model::run_usage from_wire(const log::v1::RunUsage& in) {
  return {from_wire(in.peak()), from_wire(in.average()), from_wire(in.total())};
}

void to_wire(const model::resource_list& amounts, amount_list& out) {
  for (const auto& [name, amount] : amounts) {
    auto& entry = *out.Add();
    entry.set_resource(name);
    entry.set_amount(amount);
  }
}

result<model::resource_list> from_wire(const amount_list& in) {
  model::resource_list amounts;
  amounts.reserve(static_cast<std::size_t>(in.size()));
  for (const auto& entry : in) {
    if (entry.amount() < 0)
      return fail(ec::corrupt,
                  "the amount of resource '" + shown(entry.resource()) + "' is negative");
    amounts.emplace_back(entry.resource(), entry.amount());
  }
  std::ranges::sort(amounts);
  const auto twice = std::ranges::adjacent_find(
      amounts, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != amounts.end())
    return fail(ec::corrupt, "resource '" + shown(twice->first) + "' occurs twice");
  return amounts;
}

void to_wire(const model::label_list& labels, string_map& out) {
  for (const auto& [name, value] : labels) out[name] = value;
}

model::label_list from_wire(const string_map& in) {
  model::label_list labels;
  labels.reserve(in.size());
  for (const auto& [name, value] : in) labels.emplace_back(name, value);
  std::ranges::sort(labels);
  return labels;
}

void to_wire(const model::cluster_info& cluster, log::v1::Cluster& out) {
  out.set_name(cluster.name);
  out.set_pool(cluster.pool);
  out.set_backend(cluster.backend);
  out.set_incarnation(cluster.incarnation.value);
  out.set_unsettled(cluster.unsettled);
  out.set_lease_ns(cluster.lease_ns);
  out.set_kill_grace_ns(cluster.kill_grace_ns);
  out.set_place(cluster.place);
  out.set_boot(cluster.boot);
  out.set_process(cluster.process.value);
  for (const auto& each : cluster.namespaces) out.add_namespaces(each);
  for (const auto& each : cluster.closed) {
    auto& entry = *out.add_closed();
    entry.set_name(each.name_space);
    entry.set_kind(each.kind);
    entry.set_why(each.why);
    entry.set_since_ns(each.since_ns);
  }
  out.set_outlives_agent(cluster.said.outlives_agent);
  out.set_only_processes(cluster.said.only_processes);
  out.set_ignores_namespaces(cluster.said.ignores_namespaces);
  out.set_lapse_since_ns(cluster.lapse_since_ns);
}

model::cluster_info from_wire(const log::v1::Cluster& in) {
  std::vector<model::closed_namespace> closed;
  for (const auto& each : in.closed())
    closed.push_back({each.name(), each.kind(), each.why(), each.since_ns()});
  return {model::cluster_name{in.name()},
          model::pool_name{in.pool()},
          in.backend(),
          {in.incarnation()},
          in.unsettled(),
          in.lease_ns(),
          in.kill_grace_ns(),
          in.place(),
          in.boot(),
          {in.process()},
          {in.namespaces().begin(), in.namespaces().end()},
          std::move(closed),
          {in.outlives_agent(), in.only_processes(), in.ignores_namespaces()},
          in.lapse_since_ns()};
}

void to_wire(const model::node_info& node, log::v1::Node& out) {
  out.set_name(node.name);
  to_wire(node.total, *out.mutable_total());
  to_wire(node.allocatable, *out.mutable_allocatable());
  to_wire(node.labels, *out.mutable_labels());
  for (const auto& taint : node.taints) {
    auto& entry = *out.add_taints();
    entry.set_key(taint.key);
    entry.set_value(taint.value);
    entry.set_effect(taint.effect);
  }
  out.set_unschedulable(node.unschedulable);
}

result<model::node_info> from_wire(const log::v1::Node& in) {
  model::node_info node;
  node.name = model::node_name{in.name()};
  auto total = from_wire(in.total());
  if (!total) return fail(std::move(total.error()));
  node.total = std::move(*total);
  auto allocatable = from_wire(in.allocatable());
  if (!allocatable) return fail(std::move(allocatable.error()));
  node.allocatable = std::move(*allocatable);
  node.labels = from_wire(in.labels());
  for (const auto& taint : in.taints())
    node.taints.push_back({taint.key(), taint.value(), taint.effect()});
  node.unschedulable = in.unschedulable();
  return node;
}

result<void> check_format(std::uint32_t format, std::uint32_t known, std::string_view what) {
  if (format == known) return {};
  return fail(ec::corrupt, "a " + std::string{what} + " has format " + std::to_string(format) +
                               "; this version reads " + std::to_string(known));
}

}  // namespace argosy::codec
