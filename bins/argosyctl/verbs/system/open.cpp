// SPDX-License-Identifier: Apache-2.0
// The verb open: prints the address of the web page, or of a job there, and has the desktop open it
// for a user who sits at one.
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/client/server_address.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t address_file_size_max = 4'096;

class open_command final : public command {
 public:
  explicit open_command(CLI::App& app) {
    app.footer(
        "argosyctl open\n"
        "argosyctl open 01k9x2\n"
        "argosyctl open @last --page https://argosy.example.com/");
    app.add_option("job", word_, "A job's id or its beginning, or @last; without it, all jobs")
        ->type_name("JOB");
    app.add_option("--page", page_,
                   "Address of the page (else ARGOSY_PAGE, the last argosyd --dev)")
        ->type_name("URL");
    app.add_flag("--print", print_, "Print the address and open nothing");
  }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  [[nodiscard]] result<std::string> page(session& s) const;
  [[nodiscard]] result<std::string> place(session& s) const;

  std::string word_;
  std::string page_;
  bool print_ = false;
};

/// The address that the last `argosyd --dev` left beside that of its NATS server, if that is the
/// server in use.
result<std::string> page_of_dev(session& s) {
  auto used = find_server(s.env, {.server = s.flags.server,
                                  .armada_url = s.flags.armada_url,
                                  .context = s.flags.context,
                                  .armada_config = s.flags.armada_config});
  if (!used) return fail(std::move(used.error()));
  const auto file = s.env.state_dir() / "dev" / "server.url";
  if (const auto text = read_file(file, address_file_size_max)) {
    std::istringstream lines{*text};
    std::string line;
    std::getline(lines, line);
    const bool same = line == used->url;
    while (same && std::getline(lines, line))
      if (line.starts_with("http://") || line.starts_with("https://")) return line;
  }
  return fail(ec::not_found,
              "it is not known where " + without_secret(used->url) +
                  " has its page; say it with --page URL or in ARGOSY_PAGE. It is "
                  "at the address health.listen of argosyd, if rest.enabled is true");
}

result<std::string> open_command::page(session& s) const {
  auto url = page_.empty() ? s.env.variable("ARGOSY_PAGE").value_or("") : page_;
  if (url.empty()) {
    auto known = page_of_dev(s);
    if (!known) return known;
    url = std::move(*known);
  }
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    return fail(ec::invalid_argument,
                "the address of a page begins with http:// or https://, not '" + url + "'");
  if (!url.ends_with('/')) url += '/';
  return url;
}

/// The end of the page's address that leads to the job. It is empty if no job was named.
result<std::string> open_command::place(session& s) const {
  if (word_.empty()) return std::string{};
  auto references = expand_references({word_}, s.last_jobs(), s.in);
  if (!references) return fail(std::move(references.error()));
  if (references->empty()) return fail(ec::invalid_argument, "no job was named");
  references->resize(1);
  if (references->front().is_whole()) return "#/job/" + references->front().str();
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto jobs = resolve_jobs(**server, *references);
  if (!jobs) return fail(std::move(jobs.error()));
  if (jobs->empty()) return fail(ec::not_found, "there is no job " + word_);
  return "#/job/" + jobs->front().job_id();
}

/// Has the desktop open the address. Whether that works is for the desktop to say.
void show(std::string url) {
  std::string program = "xdg-open";
  std::array<char*, 3> words{program.data(), url.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", O_WRONLY, 0);
  pid_t started = 0;
  static_cast<void>(
      ::posix_spawnp(&started, program.c_str(), &quiet, nullptr, words.data(), ::environ));
  posix_spawn_file_actions_destroy(&quiet);
}

result<exit_code> open_command::run(session& s) {
  auto where = page(s);
  if (!where) return fail(std::move(where.error()));
  auto at = place(s);
  if (!at) return fail(std::move(at.error()));
  const auto url = *where + *at;
  s.out.print_line(escaped(url));
  const bool has_desktop = s.env.variable("DISPLAY") || s.env.variable("WAYLAND_DISPLAY");
  if (!print_ && has_desktop && s.out.where().out_is_terminal) show(url);
  return exit_code::success;
}

}  // namespace

void define_open(CLI::App& app, command_set& commands) {
  define_verb<open_command>(app, commands);
}

}  // namespace argosy::ctl
