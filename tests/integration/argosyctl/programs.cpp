// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/argosyctl/programs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "tests/support/signals.hpp"

namespace argosy::tests {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

const std::string bin_dir = ARGOSY_BIN_DIR;

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

child_process::child_process(const std::vector<std::string>& words,
                             const std::vector<std::string>& variables,
                             const std::filesystem::path& out, const std::filesystem::path& err,
                             const std::filesystem::path& in) {
  auto argv = pointers(words);
  auto envp = pointers(variables);
  pid_ = ::fork();
  if (pid_ != 0) return;
  const auto redirect = [](const std::filesystem::path& path, int flags, int to) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (fd < 0 || ::dup2(fd, to) < 0) ::_exit(126);
  };
  redirect(in, O_RDONLY, STDIN_FILENO);
  redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(127);
}

child_process::~child_process() {
  if (!running()) return;
  signal(SIGKILL);
  static_cast<void>(wait(5s));
}

bool child_process::running() const {
  if (pid_ <= 0) return false;
  if (::waitpid(pid_, &status_, WNOHANG) == 0) return true;
  pid_ = -1;
  return false;
}

void child_process::signal(int number) const {
  if (running()) testing::send_signal(pid_, number);
}

int child_process::wait(std::chrono::seconds limit) {
  const auto end = steady_clock::now() + limit;
  while (running()) {
    if (steady_clock::now() > end) signal(SIGKILL);
    std::this_thread::sleep_for(2ms);
  }
  return exit_code_of(status_);
}

bool eventually(const std::function<bool()>& holds) {
  const auto end = steady_clock::now() + 30s;
  while (!holds()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(20ms);
  }
  return true;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

programs_fixture::programs_fixture() {
  auto pattern = (std::filesystem::temp_directory_path() / "argosyctl-XXXXXX").string();
  home = ::mkdtemp(pattern.data());
}

programs_fixture::~programs_fixture() {
  stop_server(SIGTERM);
  std::error_code ignored;
  std::filesystem::remove_all(home, ignored);
}

std::vector<std::string> programs_fixture::variables() const {
  return {"HOME=" + home.string(), "PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
}

void programs_fixture::start_server(const std::vector<std::string>& more) {
  const auto ready = home / "ready";
  std::vector<std::string> words{bin_dir + "/argosyd",     "--dev",        "--data-dir",
                                 (home / "data").string(), "--ready-file", ready.string()};
  words.insert(words.end(), more.begin(), more.end());
  server = child_process{words, variables(), home / "server.out", home / "server.err"};
  const bool up = eventually([&] { return std::filesystem::exists(ready) || !server.running(); });
  ASSERT_TRUE(up && server.running())
      << content_of(home / "server.out") << content_of(home / "server.err");
}

void programs_fixture::stop_server(int signal) {
  server.signal(signal);
  static_cast<void>(server.wait(20s));
}

child_process programs_fixture::start_ctl(std::vector<std::string> words, const std::string& name) {
  words.insert(words.begin(), bin_dir + "/argosyctl");
  return {words, variables(), home / (name + ".out"), home / (name + ".err")};
}

program_outcome programs_fixture::ctl(std::vector<std::string> words, const std::string& input) {
  const auto name = fmt::format("call{}", ++calls_);
  const auto in = write(name + ".in", input);
  words.insert(words.begin(), bin_dir + "/argosyctl");
  child_process child{words, variables(), home / (name + ".out"), home / (name + ".err"), in};
  program_outcome outcome;
  outcome.code = child.wait(60s);
  outcome.out = content_of(home / (name + ".out"));
  outcome.err = content_of(home / (name + ".err"));
  return outcome;
}

std::string programs_fixture::write(const std::string& name, const std::string& text) const {
  const auto path = home / name;
  std::ofstream{path} << text;
  return path.string();
}

std::string programs_fixture::job_file(const std::vector<std::string>& shell_commands) const {
  std::string text = "queue: a\njobSetId: s\njobs:\n";
  for (const auto& command : shell_commands)
    text += fmt::format(
        "  - podSpec:\n"
        "      terminationGracePeriodSeconds: 1\n"
        "      containers:\n"
        "        - name: main\n"
        "          image: none\n"
        "          command: [/bin/sh, -c, '{}']\n"
        "          resources:\n"
        "            requests: {{cpu: 100m, memory: 8Mi}}\n"
        "            limits: {{cpu: 100m, memory: 8Mi}}\n",
        command);
  return write("jobs.yaml", text);
}

}  // namespace argosy::tests
