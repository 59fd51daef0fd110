// SPDX-License-Identifier: Apache-2.0
#include "tests/support/chaos/secured_world.hpp"

#include <algorithm>
#include <fstream>

namespace argosy::chaos {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

std::string argosyd_settings(const std::string& lease) {
  return "health:\n  listen: 127.0.0.1:0\n"
         "leases:\n  length: " +
         lease +
         "\n  killGrace: 1s\n  margin: 1s\n"
         "agents:\n  heartbeat: 400ms\n  silenceMax: 2s\n  resendAfter: 500ms\n"
         "  comparePeriod: 2s\n"
         // Jobs that are to wait are larger than any node.
         "api:\n  onNeverFits: wait\n";
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

secured_world::secured_world(world_settings chosen)
    : chosen_(std::move(chosen)), agents_(chosen_.agents) {}

std::string secured_world::make_configuration() {
  std::vector<std::string> words{"argosyd",
                                 "init",
                                 (folder() / "made").string(),
                                 "--listen",
                                 "127.0.0.1:" + std::to_string(port_),
                                 "--user",
                                 "dev:owner"};
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    words.emplace_back("--cluster");
    words.push_back(cluster(i));
  }
  const auto made = world_.program(std::move(words));
  if (made.code != 0) return made.err;
  const auto change = [&](const std::string& name, int port, const std::string& more) {
    auto text = testing::content_of(folder() / "made" / name);
    if (port != 0) replace_all(text, url(), url_of(port));
    // Init has taken a part of this machine's disk.
    if (const auto at = text.find("logBytesMax: "); at != std::string::npos)
      text.replace(at, text.find('\n', at) - at, "logBytesMax: " + chosen_.log_bytes);
    world_.write("made/" + name, text + more);
  };
  change("argosyd.yaml", chosen_.port_for_argosyd,
         argosyd_settings(chosen_.lease) + chosen_.more_for_argosyd);
  for (std::size_t i = 0; i < agents_.size(); ++i)
    change("agents/" + cluster(i) + ".yaml", i == 0 ? chosen_.port_for_first_agent : 0,
           "health:\n  listen: off\nprocess:\n  capacity: {cpu: " + chosen_.cpu +
               // As many jobs fit wherever this machine keeps its temporary files.
               ", memory: 4Gi, ephemeral-storage: 1Ti}\n  diskReserve: 1MiB\n");
  if (!chosen_.jetstream_folder.empty()) {
    auto text = testing::content_of(folder() / "made" / "nats-server.conf");
    replace_all(text, (folder() / "made" / "jetstream").string(), chosen_.jetstream_folder);
    world_.write("made/nats-server.conf", text);
  }
  fs::create_directory(traces_folder());
  return {};
}

std::string secured_world::start() {
  if (auto problem = make_configuration(); !problem.empty()) return problem;
  start_nats();
  start_argosyd();
  for (std::size_t i = 0; i < agents_.size(); ++i) start_agent(i);
  if (!testing::eventually([&] { return ready() || !argosyd_.running(); }, 30s) ||
      !argosyd_.running())
    return "argosyd is not ready: " + last_of("argosyd.log");
  if (const auto made = ctl({"queue", "create", "q"}); made.code != 0) return made.err;
  const auto all_serve = [&] {
    for (std::size_t i = 0; i < agents_.size(); ++i)
      if (!fs::exists(folder() / ("ready-" + cluster(i)))) return false;
    return true;
  };
  return testing::eventually(all_serve, 30s) ? "" : last_of("agent-c1.log");
}

void secured_world::start_nats() {
  if (nats_.running()) return;
  nats_ = world_.start_program(
      {"/usr/bin/env", "nats-server", "-c", (folder() / "made" / "nats-server.conf").string()},
      "nats-server");
}

testing::child secured_world::start_program(std::vector<std::string> words,
                                            const std::string& name) const {
  words.front() = std::string{ARGOSY_BIN_DIR} + "/" + words.front();
  words.insert(words.begin(), chosen_.environment.begin(), chosen_.environment.end());
  words.insert(words.begin(), "/usr/bin/env");
  return world_.start_program(std::move(words), name);
}

void secured_world::start_argosyd() {
  if (argosyd_.running()) return;
  fs::remove(world_.ready_file());
  argosyd_ = start_program(
      {"argosyd", "--config", (folder() / "made" / "argosyd.yaml").string(), "--data-dir",
       data_folder().string(), "--ready-file", world_.ready_file().string()},
      "argosyd");
}

void secured_world::start_agent(std::size_t which) {
  if (agents_.at(which).running()) return;
  const auto name = cluster(which);
  agents_[which] = start_program(
      {"argosy-agent", "--config", (folder() / "made" / "agents" / (name + ".yaml")).string(),
       "--data-dir", agent_folder(which).string(), "--ready-file",
       (folder() / ("ready-" + name)).string()},
      "agent-" + name);
}

std::vector<pid_t> secured_world::shims() const {
  auto out = world_.processes("argosy-shim");
  std::erase_if(out, [](pid_t pid) {
    std::ifstream status{"/proc/" + std::to_string(pid) + "/status"};
    for (std::string word; status >> word;)
      if (pid_t parent = 0; word == "PPid:" && status >> parent)
        return testing::command_of(parent).find("argosy-shim") != std::string::npos;
    return true;
  });
  return out;
}

std::string secured_world::health_url() const {
  const auto lines = testing::lines_of(testing::content_of(world_.ready_file()));
  return lines.size() > 1 ? lines[1] : "";
}

testing::launch secured_world::ctl_launch(std::vector<std::string> words) const {
  words.insert(words.begin(), std::string{ARGOSY_BIN_DIR} + "/argosyctl");
  testing::launch out;
  out.words = std::move(words);
  out.environment = {"HOME=" + folder().string(), "XDG_STATE_HOME=" + (folder() / "state").string(),
                     "ARGOSY_SERVER=" + url(), "ARGOSY_CREDENTIALS=" + credentials("user-dev")};
  return out;
}

testing::outcome secured_world::ctl(std::vector<std::string> words) const {
  return testing::run(ctl_launch(std::move(words)), folder(), 60s);
}

std::string secured_world::job_command(std::chrono::milliseconds takes, int exit_code,
                                       const std::string& more) const {
  return std::string{"exec "} + WITNESS_JOB + " " + traces_folder().string() + " " +
         std::to_string(takes.count()) + " " + std::to_string(exit_code) + " " + more;
}

std::string secured_world::last_of(const std::string& name, std::size_t bytes) const {
  const auto text = testing::content_of(folder() / name);
  return text.substr(text.size() - std::min(bytes, text.size()));
}

}  // namespace argosy::chaos
