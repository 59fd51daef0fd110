// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/container/image_facts.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "runtime/backends/run/fields.hpp"

namespace argosy::backends {

namespace {

using nlohmann::json;

failure no_sense(const std::string& what) {
  return fail(ec::invalid_argument, "the image's " + what + " makes no sense");
}

std::string text_in(const json& from, const char* name) {
  const auto at = from.is_object() ? from.find(name) : from.end();
  return from.is_object() && at != from.end() && at->is_string() ? at->get<std::string>()
                                                                 : std::string{};
}

std::vector<std::string> texts_in(const json& from, const char* name) {
  std::vector<std::string> out;
  const auto at = from.is_object() ? from.find(name) : from.end();
  if (!from.is_object() || at == from.end() || !at->is_array()) return out;
  for (const auto& each : *at)
    if (each.is_string()) out.push_back(each.get<std::string>());
  return out;
}

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t out = 0;
  const auto [last, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (code != std::errc{} || last != text.data() + text.size() || out == UINT32_MAX)
    return std::nullopt;
  return out;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(by, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

/// The fields of the line of passwd(5) or group(5) that has this text in the column, four at least;
/// empty: none.
std::vector<std::string_view> find_line(std::string_view file, std::size_t column,
                                        std::string_view wanted) {
  for (const auto line : split(file, '\n')) {
    auto fields = split(line, ':');
    if (fields.size() < 3 || fields[column] != wanted) continue;
    // Lines of an image may end early.
    if (fields.size() < 4) fields.resize(4);
    return fields;
  }
  return {};
}

}  // namespace

result<std::string> manifest_in_index(std::string_view text) {
  const auto in = json::parse(text, nullptr, false);
  if (in.is_object() && in.contains("manifests") && in["manifests"].is_array() &&
      !in["manifests"].empty())
    if (auto out = text_in(in["manifests"][0], "digest"); !out.empty()) return out;
  return no_sense("index");
}

result<std::string> config_in_manifest(std::string_view text) {
  const auto in = json::parse(text, nullptr, false);
  if (in.is_object() && in.contains("config"))
    if (auto out = text_in(in["config"], "digest"); !out.empty()) return out;
  return no_sense("manifest");
}

result<image_facts> read_image_config(std::string_view text) {
  const auto in = json::parse(text, nullptr, false);
  if (!in.is_object()) return no_sense("configuration");
  image_facts out;
  out.os = text_in(in, "os");
  out.architecture = text_in(in, "architecture");
  const auto run = in.contains("config") ? in["config"] : json::object();
  out.entrypoint = texts_in(run, "Entrypoint");
  out.command = texts_in(run, "Cmd");
  out.env = texts_in(run, "Env");
  out.working_dir = text_in(run, "WorkingDir");
  out.user = text_in(run, "User");
  return out;
}

result<std::pair<std::uint32_t, std::uint32_t>> user_of_image(std::string_view user,
                                                              std::string_view passwd,
                                                              std::string_view group) {
  const auto parts = split(user, ':');
  std::pair<std::uint32_t, std::uint32_t> out{0, 0};
  if (!parts[0].empty()) {
    const auto number = number_in(parts[0]);
    const auto line = find_line(passwd, number ? 2 : 0, parts[0]);
    if (!number && line.empty())
      return fail(ec::invalid_argument,
                  "the image's user '" + std::string{parts[0]} + "' is not in its /etc/passwd");
    out.first = number ? *number : number_in(line[2]).value_or(0);
    if (!line.empty()) out.second = number_in(line[3]).value_or(0);
  }
  if (parts.size() > 1 && !parts[1].empty()) {
    const auto number = number_in(parts[1]);
    const auto line = find_line(group, number ? 2 : 0, parts[1]);
    if (!number && line.empty())
      return fail(ec::invalid_argument,
                  "the image's group '" + std::string{parts[1]} + "' is not in its /etc/group");
    out.second = number ? *number : number_in(line[2]).value_or(0);
  }
  return out;
}

result<std::string> encode(const image_facts& value) {
  field_list out;
  out.add("image", std::int64_t{1});
  out.add("digest", value.digest);
  out.add("os", value.os);
  out.add("architecture", value.architecture);
  for (const auto& each : value.entrypoint) out.add("entrypoint", each);
  for (const auto& each : value.command) out.add("command", each);
  for (const auto& each : value.env) out.add("env", each);
  out.add("working_dir", value.working_dir);
  out.add("user", value.user);
  out.add("uid", std::int64_t{value.uid});
  out.add("gid", std::int64_t{value.gid});
  out.add("size", value.size);
  return out.encode();
}

result<image_facts> decode_facts(std::string_view bytes) {
  auto in = field_list::decode(bytes);
  if (!in) return fail(std::move(in.error()));
  image_facts out;
  const auto text = [&](std::string_view name) { return std::string{in->text(name).value_or("")}; };
  out.digest = text("digest");
  out.os = text("os");
  out.architecture = text("architecture");
  out.entrypoint = in->all("entrypoint");
  out.command = in->all("command");
  out.env = in->all("env");
  out.working_dir = text("working_dir");
  out.user = text("user");
  out.uid = static_cast<std::uint32_t>(in->number("uid").value_or(0));
  out.gid = static_cast<std::uint32_t>(in->number("gid").value_or(0));
  out.size = in->number("size").value_or(0);
  if (out.digest.empty()) return fail(ec::corrupt, "the record of an image has no digest");
  return out;
}

}  // namespace argosy::backends
