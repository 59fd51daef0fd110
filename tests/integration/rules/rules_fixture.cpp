// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/rules/rules_fixture.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>

#include "messages/codec/api/method_list.hpp"
#include "messages/codec/rest/go_json.hpp"
#include "runtime/access/identity.hpp"
#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/bus/nats/signing.hpp"
#include "tests/unit/rpc/client.hpp"

namespace argosy::testing {

namespace {

using nlohmann::json;

/// The codes that rules of the API have, by their numbers in gRPC.
std::string name_of(int code) {
  switch (code) {
    case 0:
      return "OK";
    case 3:
      return "INVALID_ARGUMENT";
    case 5:
      return "NOT_FOUND";
    case 6:
      return "ALREADY_EXISTS";
    case 7:
      return "PERMISSION_DENIED";
    case 9:
      return "FAILED_PRECONDITION";
    default:
      return std::to_string(code);
  }
}

std::string name_of(ec code) {
  switch (code) {
    case ec::invalid_argument:
      return "INVALID_ARGUMENT";
    case ec::not_found:
      return "NOT_FOUND";
    case ec::already_exists:
      return "ALREADY_EXISTS";
    case ec::denied:
      return "PERMISSION_DENIED";
    case ec::conflict:
      return "FAILED_PRECONDITION";
    default:
      return std::string{to_string(code)};
  }
}

const google::protobuf::MethodDescriptor& method_named(const std::string& name) {
  // The pool finds only files that somebody has asked for.
  static_cast<void>(codec::api_methods());
  const auto* found = google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
  if (found == nullptr) throw std::runtime_error("there is no method " + name);
  return *found;
}

std::string bytes_of(const std::string& method, const json& request) {
  const auto* type = method_named(method).input_type();
  const std::unique_ptr<google::protobuf::Message> message{
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New()};
  const auto text = codec::parse_json(request.dump());
  EXPECT_TRUE(text && codec::read_go_json(*text, *message)) << method << " " << request;
  return message->SerializePartialAsString();
}

/// The path of the route with the fields of the request in it; empty if one of them is.
std::string path_of(const codec::rest_route& route, const json& request) {
  std::string out;
  const std::string pattern = route.pattern;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') {
      out += pattern[i];
      continue;
    }
    const auto end = pattern.find('}', i);
    const auto value = request.value(pattern.substr(i + 1, end - i - 1), "");
    if (value.empty()) return {};
    out += value;
    i = end;
  }
  return out;
}

}  // namespace

void rules::SetUp() {
  start_with_queue();
  const auto lines = lines_of(content_of(world.ready_file()));
  ASSERT_GE(lines.size(), 3U);
  channel_ = ::grpc::CreateChannel(lines[2].substr(lines[2].find("//") + 2),
                                   ::grpc::InsecureChannelCredentials());
  const auto read = access::read_credentials(
      access::kept_credentials(world.folder() / "state" / "argosy", world.url()));
  ASSERT_TRUE(read);
  who_ = *read;
  bus::nats_settings settings;
  settings.url = world.url();
  ASSERT_TRUE(bus::sign_as(who_, settings));
  const auto connected = bus::connect_nats(settings);
  ASSERT_TRUE(connected) << connected.error().detail;
  bus_ = *connected;
}

refusal_of rules::over_grpc(const std::string& method, const std::string& bytes) const {
  const auto& found = method_named(method);
  rpc_call call{channel_, "/" + found.service()->full_name() + "/" + found.name(), bytes};
  static_cast<void>(call.rest());
  const auto status = call.status();
  return {"gRPC", name_of(status.error_code()), status.error_message()};
}

refusal_of rules::over_nats(const std::string& method, const std::string& bytes) const {
  const auto& found = method_named(method);
  const auto subject =
      access::api_subject(who_.who.name, found.service()->name() + "." + found.name());
  const auto got = bus_->request_sync(subject, bytes, {}, std::chrono::seconds{10});
  if (got) return {"NATS", "OK", ""};
  return {"NATS", name_of(got.error().code), got.error().detail};
}

refusal_of rules::over_rest(const codec::rest_route& route, const std::string& path,
                            const json& request) const {
  launch how;
  how.words = {"/usr/bin/curl", "-sS", "--max-time", "10", "-X", route.verb};
  const std::string verb = route.verb;
  if (verb == "POST" || verb == "PUT")
    how.words.insert(how.words.end(), {"-d", "@" + world.write("request.json", request.dump())});
  how.words.push_back(world.health_url() + path);
  const auto got = run(how, world.folder(), std::chrono::seconds{20});
  const auto answer = json::parse(got.out, nullptr, false);
  if (!answer.is_object()) return {"REST", "no JSON", got.out + got.err};
  return {"REST", name_of(answer.value("code", 0)), answer.value("error", "")};
}

std::vector<refusal_of> rules::ask(const std::string& method, const json& request) const {
  const auto bytes = bytes_of(method, request);
  std::vector<refusal_of> out{over_grpc(method, bytes), over_nats(method, bytes)};
  for (const auto& route : codec::rest_routes()) {
    if (route.method != method) continue;
    if (const auto path = path_of(route, request); !path.empty())
      out.push_back(over_rest(route, path, request));
  }
  return out;
}

std::string rules::state_of_all() const {
  std::string out;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"get", "jobs", "-o", "json"},
                                             {"get", "queues", "-o", "json"},
                                             {"get", "retry-policies", "-o", "json"},
                                             {"get", "clusters", "-o", "name"},
                                             {"get", "nodes", "-o", "wide"}}) {
    const auto got = world.ctl(words);
    EXPECT_EQ(got.code, 0) << got.err;
    out += got.out;
  }
  return out;
}

void rules::expect_refused(const std::vector<rule>& all) const {
  const auto before = state_of_all();
  for (const auto& one : all) {
    for (const auto& got : ask(one.method, one.request)) {
      const auto& code =
          got.transport == "NATS" && !one.code_over_nats.empty() ? one.code_over_nats : one.code;
      EXPECT_EQ(got.code, code) << one.name << " over " << got.transport << ": " << got.message;
      EXPECT_THAT(got.message, ::testing::HasSubstr(one.says))
          << one.name << " over " << got.transport;
    }
  }
  EXPECT_EQ(state_of_all(), before);
}

json rules::submission(const std::vector<change>& changes) {
  const json amounts{{"cpu", "100m"}, {"memory", "32Mi"}};
  json out{{"queue", "q"},
           {"jobSetId", "s"},
           {"jobRequestItems",
            {{{"namespace", "default"},
              {"podSpec",
               {{"containers",
                 {{{"name", "c"},
                   {"image", "none"},
                   {"command", {"true"}},
                   {"resources", {{"requests", amounts}, {"limits", amounts}}}}}}}}}}}};
  for (const auto& [place, value] : changes) {
    const json::json_pointer at{place};
    if (value.is_null())
      out[at.parent_pointer()].erase(at.back());
    else
      out[at] = value;
  }
  return out;
}

}  // namespace argosy::testing
