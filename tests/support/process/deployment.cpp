// SPDX-License-Identifier: Apache-2.0
#include "tests/support/process/deployment.hpp"

#include <signal.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/support/signals.hpp"

#ifndef ARGOSY_BIN_DIR
#error "the folder of the programs is not known"
#endif

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

std::string indented(const std::string& text, const std::string& by) {
  std::string out;
  for (const auto& line : lines_of(text)) out += by + line + "\n";
  return out;
}

}  // namespace

deployment::~deployment() {
  server.kill();
  // Processes are killed several times, since one that is killed last may have started another
  // before.
  static_cast<void>(eventually(
      [this] {
        const auto left = processes();
        for (const auto pid : left) send_signal(pid, SIGKILL);
        return left.empty();
      },
      5s));
}

launch deployment::how(std::vector<std::string> words) const {
  launch out;
  if (!words.front().starts_with('/'))
    words.front() = std::string{ARGOSY_BIN_DIR} + "/" + words.front();
  out.words = std::move(words);
  out.environment = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                     "HOME=" + folder_.string(), "XDG_STATE_HOME=" + (folder_ / "state").string(),
                     // Jobs write into the folder of their test, which belongs to its user alone.
                     "ARGOSY_PROCESS_UID_RANGE="};
  out.environment.insert(out.environment.end(), more_environment.begin(), more_environment.end());
  if (!url_.empty()) out.environment.push_back("ARGOSY_SERVER=" + url_);
  return out;
}

bool deployment::start(std::vector<std::string> flags) {
  std::vector<std::string> words{server_program,      "--dev",        "--data-dir",
                                 data_dir().string(), "--ready-file", ready_file().string()};
  // The images of most tests' jobs do not exist.
  if (!with_images) words.emplace_back("--plain-processes");
  std::ranges::move(flags, std::back_inserter(words));
  std::filesystem::remove(ready_file());
  server = start_program(std::move(words), "argosyd");
  const bool up = eventually(
      [this] { return std::filesystem::exists(ready_file()) || !server.running(); }, 20s);
  if (!up || !server.running()) return false;
  const auto lines = lines_of(content_of(ready_file()));
  if (lines.size() < 2) return false;
  url_ = lines[0];
  health_url_ = lines[1];
  return true;
}

std::optional<int> deployment::stop() {
  server.signal(SIGTERM);
  return server.wait(10s);
}

outcome deployment::ctl(std::vector<std::string> words) const {
  words.insert(words.begin(), "argosyctl");
  return program(std::move(words));
}

child deployment::start_ctl(std::vector<std::string> words, const std::string& name) const {
  words.insert(words.begin(), "argosyctl");
  auto start = how(std::move(words));
  start.out = folder_ / (name + ".out");
  start.err = folder_ / (name + ".err");
  return child{start};
}

child deployment::start_ctl_on(const std::filesystem::path& terminal,
                               std::vector<std::string> words) const {
  words.insert(words.begin(), "argosyctl");
  auto start = how(std::move(words));
  start.environment.emplace_back("TERM=xterm");
  start.in = start.out = start.err = terminal;
  return child{start};
}

outcome deployment::shell(const std::string& file) const {
  return program({"/bin/sh", file});
}

outcome deployment::program(std::vector<std::string> words) const {
  return run(how(std::move(words)), folder_, 60s);
}

child deployment::start_program(std::vector<std::string> words, const std::string& name) const {
  auto start = how(std::move(words));
  start.out = start.err = folder_ / (name + ".log");
  return child{start};
}

child deployment::start_agent(const std::string& cluster, std::vector<std::string> flags) const {
  std::vector<std::string> words{"argosy-agent",
                                 "--cluster",
                                 cluster,
                                 "--nats",
                                 url_,
                                 "--data-dir",
                                 (folder_ / ("agent-" + cluster)).string(),
                                 "--ready-file",
                                 (folder_ / ("ready-" + cluster)).string()};
  std::ranges::move(flags, std::back_inserter(words));
  return start_program(std::move(words), "agent-" + cluster);
}

std::string deployment::write(const std::string& name, const std::string& text) const {
  const auto path = folder_ / name;
  std::ofstream{path} << text;
  return path.string();
}

std::string deployment::jobs(const std::vector<job_text>& all, const std::string& job_set) {
  std::string text = "queue: q\njobSetId: " + job_set + "\njobs:\n";
  for (const auto& job : all) {
    const auto amounts = "{cpu: " + job.cpu + ", memory: 4Mi}";
    text += "  - priority: 0\n" + indented(job.item, "    ") +
            "    podSpec:\n"
            "      terminationGracePeriodSeconds: 1\n" +
            indented(job.pod, "      ") +
            "      containers:\n"
            "        - name: main\n"
            "          image: none\n"
            "          command: [/bin/sh, -c, '" +
            job.command +
            "']\n"
            "          resources:\n"
            "            requests: " +
            amounts +
            "\n"
            "            limits: " +
            amounts + "\n";
  }
  return text;
}

std::vector<std::string> deployment::submit(const std::vector<job_text>& all,
                                            const std::string& job_set) const {
  const auto got = ctl({"submit", write("jobs.yaml", jobs(all, job_set)), "-o", "name"});
  if (got.code != 0) return {};
  auto ids = lines_of(got.out);
  for (auto& id : ids) id.erase(0, std::string_view{"job/"}.size());
  return ids;
}

std::string deployment::job(const std::string& id) const {
  auto text = ctl({"get", "job", id, "-o", "json"}).out;
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

std::vector<pid_t> deployment::processes(const std::string& named) const {
  auto found = processes_in(folder_);
  std::erase_if(found, [&](pid_t pid) {
    return !named.empty() && command_of(pid).find(named) == std::string::npos;
  });
  return found;
}

std::string deployment::process_list() const {
  std::string out;
  for (const auto pid : processes()) out += std::to_string(pid) + " " + command_of(pid) + "\n";
  return out;
}

}  // namespace argosy::testing
