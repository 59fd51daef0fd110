// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/run/records.hpp"

#include <cstdlib>

#include "runtime/backends/run/fields.hpp"
#include "runtime/backends/run/file.hpp"

namespace argosy::backends {

namespace {

constexpr std::int64_t format = 1;

field_list new_record(std::string_view kind) {
  field_list out;
  out.add(kind, format);
  return out;
}

result<field_list> read_fields(const std::filesystem::path& path, std::string_view kind) {
  auto bytes = read_file(path);
  if (!bytes) return fail(std::move(bytes.error()));
  auto fields = field_list::decode(*bytes);
  if (!fields) return fail(ec::corrupt, "'" + path.string() + "': " + fields.error().detail);
  if (fields->number(kind) != format)
    return fail(ec::corrupt, "'" + path.string() + "' is not a record '" + std::string{kind} +
                                 "' of format " + std::to_string(format));
  return fields;
}

std::string text_of(const field_list& from, std::string_view name) {
  return std::string{from.text(name).value_or("")};
}

std::int64_t number_of(const field_list& from, std::string_view name) {
  return from.number(name).value_or(0);
}

std::optional<std::uint32_t> id_of(const field_list& from, std::string_view name) {
  const auto value = from.number(name);
  if (!value || *value < 0 || *value > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

/// Every container has each of these items once, so that the n-th of each are of one.
void add_pod(const pod_plan& pod, field_list& out) {
  if (pod.containers.empty()) return;
  out.add("crun", pod.crun);
  out.add("crun_max_ns", pod.crun_max_ns);
  out.add("hostname", pod.hostname);
  out.add("own_network", std::int64_t{pod.own_network ? 1 : 0});
  out.add("keeps_crun", std::int64_t{pod.keeps_crun ? 1 : 0});
  for (const auto& each : pod.containers) {
    out.add("c.name", each.name);
    out.add("c.init", std::int64_t{each.init ? 1 : 0});
    out.add("c.image", each.image);
    out.add("c.config", each.config);
    out.add("c.cpu_millis", each.cpu_millis);
    out.add("c.memory_bytes", each.memory_bytes);
  }
  for (const auto& each : pod.volumes) {
    out.add("v.in_memory", std::int64_t{each.in_memory ? 1 : 0});
    out.add("v.size_max", each.size_max);
  }
  for (const auto& each : pod.devices) out.add("device", each);
  for (const auto& each : pod.notes) out.add("pod_note", each);
  for (const auto& each : pod.host_paths) out.add("host_path", each);
  for (const auto& each : pod.parts) {
    out.add("p.container", each.container);
    out.add("p.volume", each.volume);
    out.add("p.path", each.path);
  }
}

std::vector<std::int64_t> numbers(const field_list& from, std::string_view name) {
  std::vector<std::int64_t> out;
  for (const auto& each : from.all(name)) out.push_back(std::strtoll(each.c_str(), nullptr, 10));
  return out;
}

result<pod_plan> pod_of(const field_list& from) {
  pod_plan out;
  const auto names = from.all("c.name");
  const auto inits = numbers(from, "c.init");
  const auto images = from.all("c.image");
  const auto configs = from.all("c.config");
  const auto cpus = numbers(from, "c.cpu_millis");
  const auto memories = numbers(from, "c.memory_bytes");
  const auto kinds = numbers(from, "v.in_memory");
  const auto sizes = numbers(from, "v.size_max");
  for (const auto count :
       {inits.size(), images.size(), configs.size(), cpus.size(), memories.size()})
    if (count != names.size()) return fail(ec::corrupt, "an item of a container is missing");
  const auto owners = numbers(from, "p.container");
  const auto wholes = numbers(from, "p.volume");
  const auto paths = from.all("p.path");
  if (kinds.size() != sizes.size() || owners.size() != paths.size() ||
      wholes.size() != paths.size())
    return fail(ec::corrupt, "an item of a volume is missing");
  for (std::size_t i = 0; i < names.size(); ++i)
    out.containers.push_back(
        {names[i], inits[i] != 0, images[i], configs[i], cpus[i], memories[i]});
  for (std::size_t i = 0; i < kinds.size(); ++i) out.volumes.push_back({kinds[i] != 0, sizes[i]});
  for (std::size_t i = 0; i < paths.size(); ++i)
    out.parts.push_back({owners[i], wholes[i], paths[i]});
  out.crun = text_of(from, "crun");
  out.crun_max_ns = number_of(from, "crun_max_ns");
  out.hostname = text_of(from, "hostname");
  out.own_network = number_of(from, "own_network") != 0;
  out.keeps_crun = number_of(from, "keeps_crun") != 0;
  out.devices = from.all("device");
  out.notes = from.all("pod_note");
  out.host_paths = from.all("host_path");
  return out;
}

void add_ends(const std::vector<container_end>& ends, field_list& out) {
  for (const auto& each : ends) {
    out.add("c.name", each.name);
    out.add("c.exit_code", std::int64_t{each.exit_code});
    out.add("c.signal", std::int64_t{each.signal});
    out.add("c.reason", each.reason);
    out.add("c.message", each.message);
  }
}

std::vector<container_end> ends_of(const field_list& from) {
  std::vector<container_end> out;
  const auto names = from.all("c.name");
  const auto codes = numbers(from, "c.exit_code");
  const auto signals = numbers(from, "c.signal");
  const auto reasons = from.all("c.reason");
  const auto messages = from.all("c.message");
  for (std::size_t i = 0; i < names.size() && i < codes.size() && i < signals.size() &&
                          i < reasons.size() && i < messages.size();
       ++i)
    out.push_back({names[i], static_cast<std::int32_t>(codes[i]),
                   static_cast<std::int32_t>(signals[i]), reasons[i], messages[i]});
  return out;
}

}  // namespace

bool is_first(const pod_plan& pod, std::size_t container) {
  std::size_t first = 0;
  while (first < pod.containers.size() && pod.containers[first].init) ++first;
  return container == first;
}

result<std::string> encode(const shim_plan& value) {
  auto out = new_record("plan");
  out.add("run", value.run);
  out.add("container", value.container);
  for (const auto& word : value.argv) out.add("arg", word);
  for (const auto& [name, text] : value.env) out.add("env", name + "=" + text);
  out.add("working_dir", value.working_dir);
  out.add("cgroup", value.cgroup);
  out.add("memory_group", value.memory_group);
  out.add("cpu_group", value.cpu_group);
  out.add("pids_group", value.pids_group);
  out.add("cpu_millis", value.cpu_millis);
  out.add("memory_bytes", value.memory_bytes);
  out.add("pids_max", value.pids_max);
  out.add("limits_note", value.limits_note);
  out.add("lease_file", value.lease_file);
  out.add("keep_on_disconnect", std::int64_t{value.keep_on_disconnect ? 1 : 0});
  out.add("grace_ns", value.grace_ns);
  out.add("deadline_ns", value.deadline_ns);
  out.add("output_max", value.output_max);
  out.add("storage_max", value.storage_max);
  if (value.user) out.add("user", std::int64_t{*value.user});
  if (value.group) out.add("group", std::int64_t{*value.group});
  for (const auto& path : value.hidden) out.add("hidden", path);
  add_pod(value.pod, out);
  return out.encode();
}

template <>
result<shim_plan> read_record(const std::filesystem::path& path) {
  auto fields = read_fields(path, "plan");
  if (!fields) return fail(std::move(fields.error()));
  shim_plan out;
  out.run = text_of(*fields, "run");
  out.container = text_of(*fields, "container");
  out.argv = fields->all("arg");
  for (const auto& item : fields->all("env")) {
    const auto equals = item.find('=');
    if (equals == std::string::npos)
      return fail(ec::corrupt, "'" + path.string() + "' has a variable without '='");
    out.env.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  out.working_dir = text_of(*fields, "working_dir");
  out.cgroup = text_of(*fields, "cgroup");
  out.memory_group = text_of(*fields, "memory_group");
  out.cpu_group = text_of(*fields, "cpu_group");
  out.pids_group = text_of(*fields, "pids_group");
  out.cpu_millis = number_of(*fields, "cpu_millis");
  out.memory_bytes = number_of(*fields, "memory_bytes");
  out.pids_max = number_of(*fields, "pids_max");
  out.limits_note = text_of(*fields, "limits_note");
  out.lease_file = text_of(*fields, "lease_file");
  out.keep_on_disconnect = number_of(*fields, "keep_on_disconnect") != 0;
  out.grace_ns = number_of(*fields, "grace_ns");
  out.deadline_ns = number_of(*fields, "deadline_ns");
  out.output_max = number_of(*fields, "output_max");
  out.storage_max = number_of(*fields, "storage_max");
  out.user = id_of(*fields, "user");
  out.group = id_of(*fields, "group");
  out.hidden = fields->all("hidden");
  auto pod = pod_of(*fields);
  if (!pod) return fail(ec::corrupt, "'" + path.string() + "': " + pod.error().detail);
  out.pod = std::move(*pod);
  if (out.argv.empty()) return fail(ec::corrupt, "'" + path.string() + "' names no command");
  return out;
}

result<std::string> encode(const shim_started& value) {
  auto out = new_record("started");
  out.add("shim_pid", value.shim_pid);
  out.add("child_pid", value.child_pid);
  out.add("time_ns", value.time_ns);
  for (const auto& note : value.notes) out.add("note", note);
  return out.encode();
}

template <>
result<shim_started> read_record(const std::filesystem::path& path) {
  auto fields = read_fields(path, "started");
  if (!fields) return fail(std::move(fields.error()));
  shim_started out;
  out.shim_pid = number_of(*fields, "shim_pid");
  out.child_pid = number_of(*fields, "child_pid");
  out.time_ns = number_of(*fields, "time_ns");
  out.notes = fields->all("note");
  if (out.shim_pid <= 1) return fail(ec::corrupt, "'" + path.string() + "' names no process");
  return out;
}

result<std::string> encode(const shim_status& value) {
  auto out = new_record("status");
  out.add("exit_code", std::int64_t{value.exit_code});
  out.add("signal", std::int64_t{value.signal});
  out.add("reason", value.reason);
  out.add("message", value.message);
  out.add("started_ns", value.started_ns);
  out.add("finished_ns", value.finished_ns);
  out.add("output_size", value.output_size);
  for (const auto& note : value.notes) out.add("note", note);
  add_ends(value.containers, out);
  return out.encode();
}

result<std::string> encode(const pod_ends& value) {
  auto out = new_record("ends");
  add_ends(value.all, out);
  return out.encode();
}

template <>
result<pod_ends> read_record(const std::filesystem::path& path) {
  auto fields = read_fields(path, "ends");
  if (!fields) return fail(std::move(fields.error()));
  return pod_ends{ends_of(*fields)};
}

template <>
result<shim_status> read_record(const std::filesystem::path& path) {
  auto fields = read_fields(path, "status");
  if (!fields) return fail(std::move(fields.error()));
  shim_status out;
  out.exit_code = static_cast<std::int32_t>(number_of(*fields, "exit_code"));
  out.signal = static_cast<std::int32_t>(number_of(*fields, "signal"));
  out.reason = text_of(*fields, "reason");
  out.message = text_of(*fields, "message");
  out.started_ns = number_of(*fields, "started_ns");
  out.finished_ns = number_of(*fields, "finished_ns");
  out.output_size = number_of(*fields, "output_size");
  out.notes = fields->all("note");
  out.containers = ends_of(*fields);
  if (out.reason.empty()) return fail(ec::corrupt, "'" + path.string() + "' has no reason");
  return out;
}

result<std::string> encode(const stop_order& value) {
  auto out = new_record("stop");
  out.add("grace_ns", value.grace_ns);
  out.add("message", value.message);
  out.add("reason", value.reason);
  return out.encode();
}

template <>
result<stop_order> read_record(const std::filesystem::path& path) {
  auto fields = read_fields(path, "stop");
  if (!fields) return fail(std::move(fields.error()));
  stop_order out{number_of(*fields, "grace_ns"), text_of(*fields, "message")};
  if (const auto reason = fields->text("reason")) out.reason = *reason;
  return out;
}

result<std::string> encode(const lease_record& value) {
  auto out = new_record("lease");
  out.add("boot", value.boot);
  out.add("deadline_ns", value.lease.until.count());
  out.add("kill_grace_ns", value.lease.kill_grace.count());
  out.add("wall_ahead_ns", value.lease.wall_ahead.count());
  out.add("period_ns", value.lease.period.count());
  return out.encode();
}

template <>
result<lease_record> read_record(const std::filesystem::path& path) {
  auto fields = read_fields(path, "lease");
  if (!fields) return fail(std::move(fields.error()));
  return lease_record{
      text_of(*fields, "boot"),
      {boot_time{number_of(*fields, "deadline_ns")}, boot_time{number_of(*fields, "kill_grace_ns")},
       boot_time{number_of(*fields, "wall_ahead_ns")}, boot_time{number_of(*fields, "period_ns")}}};
}

std::optional<model::run_lease> read_lease(const std::filesystem::path& path) {
  const auto found = read_record<lease_record>(path);
  if (!found || found->boot != boot_id()) return std::nullopt;
  return found->lease;
}

}  // namespace argosy::backends
