// SPDX-License-Identifier: Apache-2.0
// Clients for the tests of an API server, with short waits, and what they are told.
#pragma once

#include <gmock/gmock.h>

#include <future>
#include <memory>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/kube/https/https_api.hpp"
#include "tests/integration/kube/fake_api_server.hpp"

namespace argosy::kube::testing {

inline https_options quick_options() {
  https_options out;
  out.retries.waits = {.first = std::chrono::milliseconds{1}, .most = std::chrono::milliseconds{4}};
  out.follows.waits = out.retries.waits;
  out.follows.page_objects = 2;
  return out;
}

inline std::unique_ptr<api> client_of(const cluster_access& access,
                                      const https_options& options = quick_options(),
                                      access_origin origin = {}) {
  auto made = make_https_api(access, options, system_clock_source(), 7, std::move(origin));
  if (!made) ADD_FAILURE() << made.error().detail;
  return std::move(*made);
}

inline std::future<result<answer>> begin(api& client, request what) {
  auto promise = std::make_shared<std::promise<result<answer>>>();
  auto out = promise->get_future();
  client.ask(std::move(what),
             [promise](result<answer> got) { promise->set_value(std::move(got)); });
  return out;
}

/// Waits for the answer.
inline result<answer> ask(api& client, request what) {
  return begin(client, std::move(what)).get();
}

/// "200 body", or the error.
inline std::string asked(api& client, request what) {
  const auto got = ask(client, std::move(what));
  return got ? std::to_string(got->status) + " " + got->body : to_string(got.error());
}

/// Notes what it is told as text.
class noting_follower final : public follower {
 public:
  void listed(std::vector<nlohmann::json> objects) override {
    std::string text = "listed";
    for (const auto& one : objects) text += " " + name(one);
    told.add(text);
    if (then) then();
  }
  void changed(change what, nlohmann::json object) override {
    told.add((what == change::added     ? "added "
              : what == change::deleted ? "deleted "
                                        : "modified ") +
             name(object));
    if (then) then();
  }
  void interrupted(const error& why) override { told.add("interrupted: " + to_string(why)); }
  void asked(std::string_view verb) override { exchanges.add(std::string{verb}); }
  void answered(std::string_view verb, const result<answer>& how) override {
    exchanges.add(std::string{verb} + (how ? " " + std::to_string(how->status) : " failed"));
  }
  void heard() override { exchanges.add("heard"); }

  argosy::testing::collector<std::string> told;
  argosy::testing::collector<std::string> exchanges;
  std::function<void()> then;

 private:
  static std::string name(const nlohmann::json& object) { return object["metadata"]["name"]; }
};

inline std::string object(const std::string& name, const std::string& version) {
  return R"({"metadata":{"name":")" + name + R"(","resourceVersion":")" + version + R"("}})";
}

inline std::string list(const std::string& items, const std::string& version,
                        const std::string& more = "") {
  return R"({"metadata":{"resourceVersion":")" + version + R"(","continue":")" + more +
         R"("},"items":[)" + items + "]}";
}

inline std::string event(const std::string& type, const std::string& of) {
  return R"({"type":")" + type + R"(","object":)" + of + "}\n";
}

}  // namespace argosy::kube::testing
