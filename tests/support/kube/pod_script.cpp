// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/pod_script.hpp"

#include <algorithm>

namespace argosy::testing {

namespace {

using nlohmann::json;

void play(std::string part, pod_script& out) {
  part.erase(0, part.find_first_not_of(' '));
  const auto blank = std::min(part.find(' '), part.size());
  const auto word = part.substr(0, blank);
  const auto rest = blank < part.size() ? part.substr(blank + 1) : std::string{};
  if (word == "echo") out.output += rest + "\n";
  if (word == "exit") out.exit_code = std::stoi(rest);
  if (word == "sleep") out.goes_on = true;
}

json status(const pod_script& of, const std::string& phase, const json& state) {
  return {{"phase", phase},
          {"hostIP", "10.1.0.1"},
          {"conditions", {{{"type", "PodScheduled"}, {"status", "True"}}}},
          {"containerStatuses", {{{"name", of.container}, {"state", state}}}}};
}

}  // namespace

json pod_script::waiting(const std::string& reason, const std::string& message) const {
  json why{{"reason", reason}};
  if (!message.empty()) why["message"] = message;
  return status(*this, "Pending", {{"waiting", why}});
}

json pod_script::running(const std::string& time) const {
  auto out = status(*this, "Running", {{"running", {{"startedAt", time}}}});
  out["startTime"] = time;
  return out;
}

json pod_script::ended(int code, const std::string& time) const {
  auto out = status(*this, code == 0 ? "Succeeded" : "Failed",
                    {{"terminated",
                      {{"exitCode", code},
                       {"reason", code == 0 ? "Completed" : "Error"},
                       {"startedAt", time},
                       {"finishedAt", time}}}});
  out["startTime"] = time;
  return out;
}

pod_script read_script(const json& pod) {
  pod_script out;
  const auto& spec = pod["spec"];
  const auto& container = spec["containers"][0];
  out.container = container["name"];
  const auto command = container.value("command", json::array());
  const auto text = command.size() > 2 ? command[2].get<std::string>() : std::string{};
  for (std::size_t at = 0; at < text.size() && !out.goes_on;) {
    const auto end = std::min(text.find(';', at), text.size());
    play(text.substr(at, end - at), out);
    at = end + 1;
  }
  return out;
}

}  // namespace argosy::testing
