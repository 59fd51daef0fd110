// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/rest/rest_calls.hpp"

#include <absl/strings/ascii.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>

#include <charconv>
#include <memory>
#include <optional>

#include "messages/codec/api/method_list.hpp"
#include "messages/codec/rest/go_json.hpp"
#include "messages/codec/rest/swagger.hpp"
#include "runtime/access/methods.hpp"
#include "runtime/base/text.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::MethodDescriptor;

std::unique_ptr<Message> make(const google::protobuf::Descriptor* type) {
  return std::unique_ptr<Message>{MessageFactory::generated_factory()->GetPrototype(type)->New()};
}

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> out;
  while (true) {
    const auto slash = path.find('/');
    out.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return out;
    path.remove_prefix(slash + 1);
  }
}

/// The value of two hexadecimal digits; nothing for anything else.
std::optional<char> escaped(std::string_view digits) {
  unsigned value = 0;
  const auto* const end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(digits.data(), end, value, 16);
  if (digits.size() != 2 || code != std::errc{} || stop != end) return std::nullopt;
  return static_cast<char>(value);
}

/// What is no escape stays as it is.
std::string decoded(std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto byte = part[i] == '%' ? escaped(part.substr(i + 1, 2)) : std::nullopt;
    out += byte.value_or(part[i]);
    if (byte) i += 2;
  }
  return out;
}

std::vector<std::string> decoded_parts(std::string_view path) {
  std::vector<std::string> out;
  for (const auto part : split(path)) out.push_back(decoded(part));
  return out;
}

bool is_field(std::string_view part) {
  return part.size() > 2 && part.front() == '{';
}

/// A request that names jobs and a job set means the whole set if it names no job. Whoever gives an
/// empty id has lost one, and does not mean that.
result<void> check_ids(const go_json& from, const google::protobuf::Message& into) {
  const auto& type = *into.GetDescriptor();
  if (type.FindFieldByName("job_ids") == nullptr || type.FindFieldByName("job_set_id") == nullptr)
    return {};
  if (!from.is_object()) return {};
  for (const auto& [name, value] : from.items()) {
    std::string plain;
    for (const char c : name)
      if (c != '_') plain += absl::ascii_tolower(static_cast<unsigned char>(c));
    const bool is_empty = (plain == "jobid" && value == "") ||
                          (plain == "jobids" && value.is_array() && value.empty());
    if (is_empty)
      return fail(ec::invalid_argument,
                  "'" + shown(name) +
                      "' is empty; name a job, or leave the field out to mean the whole job set");
  }
  return {};
}

/// Whoever names one thing in the path and another beside it has mistaken one of them.
result<void> check_same(const google::protobuf::Message& beside, const std::string& name,
                        const std::string& value) {
  const auto* field = beside.GetDescriptor()->FindFieldByName(name);
  if (field->is_repeated() ||
      field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_STRING)
    return {};
  const auto other = beside.GetReflection()->GetString(beside, field);
  if (other.empty() || other == value) return {};
  return fail(ec::invalid_argument, "the path names '" + shown(value) + "' as " + name +
                                        ", and the request '" + shown(other) +
                                        "'; name one of them, or the same twice");
}

}  // namespace

const std::vector<rest_route>& rest_routes() {
  static const auto known = [] {
    std::vector<rest_route> out;
    for (const auto& row : access::method_rows())
      for (const auto route : {row.route, row.second_route})
        if (const auto* method = descriptor_of(row.name); method != nullptr && !route.empty()) {
          const auto space = route.find(' ');
          out.push_back({std::string{route.substr(0, space)}, std::string{route.substr(space + 1)},
                         method->full_name().c_str(), method});
        }
    return out;
  }();
  return known;
}

rest_match match_route(std::string_view verb, std::string_view path) {
  const auto parts = decoded_parts(path);
  rest_match out;
  for (const auto& route : rest_routes()) {
    const auto wanted = split(route.pattern);
    if (wanted.size() != parts.size()) continue;
    std::vector<std::pair<std::string, std::string>> fields;
    bool same = true;
    for (std::size_t i = 0; same && i < parts.size(); ++i) {
      if (is_field(wanted[i]) && !parts[i].empty())
        fields.emplace_back(wanted[i].substr(1, wanted[i].size() - 2), parts[i]);
      else
        same = wanted[i] == parts[i];
    }
    if (!same) continue;
    if (verb == route.verb) return {&route, false, std::move(fields)};
    out.other_verb = true;
  }
  return out;
}

std::string grpc_path(const rest_route& route) {
  const auto& method = *route.descriptor;
  return "/" + method.service()->full_name() + "/" + method.name();
}

result<std::string> rest_request(const rest_match& match, std::string_view body,
                                 const std::vector<std::pair<std::string, std::string>>& query,
                                 unknown_fields unknown) {
  auto into = make(match.route->descriptor->input_type());
  const std::string_view verb = match.route->verb;
  const bool by_query = verb == "GET" || verb == "DELETE";
  const bool is_strict = unknown == unknown_fields::refused;
  if (by_query) {
    if (is_strict && verb == "DELETE" && !body.empty())
      return fail(ec::invalid_argument, "this method takes no body");
    for (const auto& [name, value] : query)
      if (auto done = read_parameter(name, value, *into, unknown); !done) return fail(done.error());
  } else {
    if (is_strict && !query.empty())
      return fail(ec::invalid_argument, "the parameter '" + shown(query.front().first) +
                                            "' stands in the query; this method takes its fields "
                                            "from the body");
    if (!body.empty()) {
      const auto json = parse_json(body);
      if (!json) return fail(json.error());
      if (auto done = read_go_json(*json, *into, unknown); !done) return fail(done.error());
      if (auto done = is_strict ? check_ids(*json, *into) : result<void>{}; !done)
        return fail(done.error());
    }
  }
  for (const auto& [name, value] : match.fields) {
    if (auto done = is_strict ? check_same(*into, name, value) : result<void>{}; !done)
      return fail(done.error());
    into->GetReflection()->ClearField(into.get(), into->GetDescriptor()->FindFieldByName(name));
    if (auto done = read_parameter(name, value, *into); !done) return fail(done.error());
  }
  return into->SerializePartialAsString();
}

result<std::string> rest_answer(const rest_route& route, std::string_view bytes) {
  auto answer = make(route.descriptor->output_type());
  if (!answer->ParsePartialFromString(std::string{bytes}))
    return fail(ec::internal, "the answer cannot be read");
  return go_json_text(*answer);
}

std::string swagger_json() {
  std::vector<described_route> routes;
  for (const auto& route : rest_routes()) {
    described_route one{absl::AsciiStrToLower(route.verb), route.pattern, {}, route.descriptor};
    for (const auto part : split(route.pattern))
      if (is_field(part)) one.fields.emplace_back(part.substr(1, part.size() - 2));
    routes.push_back(std::move(one));
  }
  return swagger_json(routes);
}

}  // namespace argosy::codec
