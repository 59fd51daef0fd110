// SPDX-License-Identifier: Apache-2.0
// The verbs diff and apply: what a file declares is compared with what the server has, or becomes
// what it has. Applying a file twice changes nothing the second time.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "bins/argosyctl/client/input.hpp"
#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/declared/declared_keys.hpp"
#include "bins/argosyctl/verbs/queues/queue_verbs.hpp"
#include "bins/argosyctl/verbs/settings/settings_change.hpp"
#include "google/protobuf/empty.pb.h"
#include "messages/codec/api/queue_codec.hpp"
#include "messages/codec/api/retry_codec.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t declared_size_max = 16u << 20;

bool has_keys(const submit_file::declarations& wanted) {
  return !wanted.pools.empty() || wanted.settings;
}

/// The file, after all its mistakes were printed if it has any.
class declared_file {
 public:
  void add_options(CLI::App& app) {
    app.add_option("-f,--file,--filename", file_,
                   "File with documents of the kinds Queue, RetryPolicy, Pool and Settings; - for "
                   "stdin")
        ->required()
        ->type_name("FILE");
    app.add_flag("--prune", prune_,
                 "Also delete the queues and policies that the file lacks, and, if it declares a "
                 "pool or settings, let the configuration file say the keys of all others again");
  }

  result<submit_file::declarations> read(session& s) const {
    const auto text = read_input(s.in, file_, declared_size_max);
    if (!text) return fail(ec::invalid_argument, text.error().detail);
    const auto shown = file_ == "-" ? std::string{"stdin"} : file_;
    auto wanted = submit_file::read_declarations(*text, shown);
    if (wanted && wanted->queues.empty() && wanted->policies.empty() && !has_keys(*wanted))
      return fail(ec::invalid_argument, shown + " declares nothing");
    return wanted;
  }
  [[nodiscard]] bool prunes() const { return prune_; }

 private:
  std::string file_;
  bool prune_ = false;
};

void print_fields(session& s, const step& one) {
  const auto shown = [](const std::string& text) {
    return text.empty() ? std::string{"(not set)"} : text;
  };
  for (const auto& [field, before, after] : one.fields)
    s.out.print_line(escaped(fmt::format("  {}: {} -> {}", field, shown(before), shown(after))));
}

class diff_command final : public command {
 public:
  explicit diff_command(CLI::App& app) {
    app.description(
        "Show what apply would change, field by field. The exit code is 0 when nothing differs, 1 "
        "when something does, and 2 for every error.");
    app.footer(
        "argosyctl diff -f argosy.yaml\n"
        "argosyctl diff -f argosy.yaml --prune || echo 'somebody changed it by hand'");
    file_.add_options(app);
  }
  result<exit_code> run(session& s) override {
    const auto found = differs(s);
    if (found) return static_cast<exit_code>(*found ? 1 : 0);
    (void)report_lines(s, found.error());
    return exit_code::usage;
  }

 private:
  result<bool> differs(session& s) const {
    const auto wanted = file_.read(s);
    if (!wanted) return fail(wanted.error());
    auto server = s.server();
    if (!server) return fail(std::move(server.error()));
    const auto there = read_server_settings(**server, has_keys(*wanted));
    if (!there) return fail(there.error());
    const auto steps = compare(*wanted, *there, file_.prunes());
    if (!steps) return fail(steps.error());
    bool any = false;
    for (const auto& one : *steps) {
      if (one.what == step_kind::keep) continue;
      any = true;
      const auto* const word = one.what == step_kind::create   ? "created"
                               : one.what == step_kind::change ? "changed"
                                                               : "deleted";
      s.out.print_line(escaped(one.title()) + " would be " + word);
      print_fields(s, one);
    }
    return any;
  }

  declared_file file_;
};

class apply_command final : public command {
 public:
  explicit apply_command(CLI::App& app) {
    app.footer(
        "argosyctl apply -f argosy.yaml --dry-run\n"
        "argosyctl apply -f argosy.yaml\n"
        "argosyctl apply -f argosy.yaml --prune --yes");
    file_.add_options(app);
    app.add_flag("--dry-run", dry_run_, "Only say what would be done");
    app.add_flag("--new", new_pools_, "Set up pools that no cluster has yet and no setting names");
    app.add_flag("-y,--yes", yes_, "Do not ask before --prune deletes");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  result<exit_code> run(session& s) override;

 private:
  result<bool> confirm(session& s, const std::vector<step>& steps) const;
  result<void> check_idle(client& server, const std::vector<step>& steps) const;
  void tell(session& s, const step& one) const;
  result<exit_code> carry_out_all(session& s, client& server, const std::vector<step>& steps,
                                  const argosy::v1::UpdateSettingsRequest& of_keys) const;

  declared_file file_;
  bool dry_run_ = false;
  bool new_pools_ = false;
  bool yes_ = false;
};

/// Whether what is to be deleted may be.
result<bool> apply_command::confirm(session& s, const std::vector<step>& steps) const {
  std::string names;
  for (const auto& one : steps)
    if (one.what == step_kind::remove) names += (names.empty() ? "" : ", ") + one.title();
  if (names.empty() || yes_ || dry_run_) return true;
  if (!s.out.where().in_is_terminal)
    return fail(ec::invalid_argument,
                fmt::format("--prune would delete {}; say --yes if that is meant", names));
  return s.is_agreed("delete " + escaped(names));
}

/// A queue with jobs cannot be deleted, which is found before anything is changed.
result<void> apply_command::check_idle(client& server, const std::vector<step>& steps) const {
  for (const auto& one : steps) {
    if (one.what != step_kind::remove || one.of != declared_kind::queue) continue;
    argosy::v1::ListJobsRequest request;
    request.set_queue(one.name);
    request.set_active_only(true);
    request.set_limit(1);
    const auto jobs = list_jobs(server, request);
    if (!jobs) return fail(jobs.error());
    if (!jobs->empty())
      return fail(ec::conflict,
                  fmt::format("nothing was changed: the queue '{}' is to be deleted and has jobs "
                              "that have not ended, such as {}",
                              one.name, jobs->front().job_id()));
  }
  return {};
}

void apply_command::tell(session& s, const step& one) const {
  if (s.as == format::name) return s.out.print_line(escaped(one.title()));
  const std::string_view word = one.what == step_kind::create   ? "created"
                                : one.what == step_kind::change ? "changed"
                                : one.what == step_kind::remove ? "deleted"
                                                                : "unchanged";
  s.out.print_line(fmt::format("{} {}{}", escaped(one.title()), word,
                               dry_run_ && word != "unchanged" ? " (dry run)" : ""));
}

/// Writes a queue that exists, unless somebody else changes it at the same moment.
result<void> change_known_queue(client& server, const model::queue_settings& wanted) {
  api::QueueGetRequest request;
  request.set_name(wanted.name);
  const auto got =
      server.exchange("QueueService.GetQueue", request.SerializeAsString(), repeatable::yes, {});
  if (!got) return fail(got.error());
  api::Queue message;
  codec::to_wire(wanted, message, codec::owner_form::fields);
  return change_queue(server, "UpdateQueue", message, queue_mode::update,
                      got->header("argosy-version"));
}

result<void> carry_out(client& server, const step& one) {
  const auto sent = [&](const char* method,
                        const google::protobuf::MessageLite& request) -> result<void> {
    const auto done = call<google::protobuf::Empty>(server, method, request);
    return done ? result<void>{} : fail(done.error());
  };
  if (one.queue != nullptr) {
    if (one.what == step_kind::change) return change_known_queue(server, *one.queue);
    api::Queue message;
    codec::to_wire(*one.queue, message, codec::owner_form::fields);
    return change_queue(server, "CreateQueue", message, queue_mode::create);
  }
  if (one.policy != nullptr) {
    api::RetryPolicy message;
    codec::to_wire(*one.policy, message);
    return sent(one.what == step_kind::create ? "RetryPolicyService.CreateRetryPolicy"
                                              : "RetryPolicyService.UpdateRetryPolicy",
                message);
  }
  if (one.of == declared_kind::queue) {
    api::QueueDeleteRequest request;
    request.set_name(one.name);
    return change_queue(server, "DeleteQueue", request, queue_mode::strict);
  }
  api::RetryPolicyDeleteRequest request;
  request.set_name(one.name);
  return sent("RetryPolicyService.DeleteRetryPolicy", request);
}

template <class Response>
result<void> sent(const result<Response>& answer) {
  return answer ? result<void>{} : fail(answer.error());
}

/// Settings are checked by the server, since only it has all of them, before anything is changed.
result<void> check_keys(session& s, client& server, argosy::v1::UpdateSettingsRequest request) {
  if (request.set().empty() && request.unset().empty()) return {};
  request.set_dry_run(true);
  const auto would = update_settings(server, request);
  if (would) print_warnings(s, *would);
  return sent(would);
}

/// Carries the steps out and tells each. Those about keys are one change, with the first of them.
result<exit_code> apply_command::carry_out_all(
    session& s, client& server, const std::vector<step>& steps,
    const argosy::v1::UpdateSettingsRequest& of_keys) const {
  bool any = false;
  bool keys_done = false;
  for (const auto& one : steps) {
    if (one.what != step_kind::keep && !dry_run_ && !(one.of_keys() && keys_done)) {
      auto done = one.of_keys() ? sent(update_settings(server, of_keys)) : carry_out(server, one);
      keys_done = keys_done || one.of_keys();
      if (!done && !any)
        return fail(ec{done.error().code}, one.title() + ": " + done.error().detail);
      if (!done) {
        s.out.error_line(
            fmt::format("{}: {}; what comes after it was not done, apply the file "
                        "again",
                        one.title(), done.error().detail));
        return exit_code::partial;
      }
      any = true;
    }
    tell(s, one);
    s.out.flush();
  }
  return exit_code::success;
}

result<exit_code> apply_command::run(session& s) {
  const auto wanted = file_.read(s);
  if (!wanted) return report_lines(s, wanted.error());
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  const auto there = read_server_settings(**server, has_keys(*wanted));
  if (!there) return fail(there.error());
  const auto steps = compare(*wanted, *there, file_.prunes());
  if (!steps) return report_lines(s, steps.error());
  const auto of_keys = request_of(*steps, *there, new_pools_);
  if (const auto able = check_keys(s, **server, of_keys); !able)
    return report_lines(s, able.error());
  if (auto idle = check_idle(**server, *steps); !idle) return fail(std::move(idle.error()));
  const auto agreed = confirm(s, *steps);
  if (!agreed) return fail(agreed.error());
  if (!*agreed) return exit_code::interrupted;
  return carry_out_all(s, **server, *steps, of_keys);
}

}  // namespace

void define_diff(CLI::App& app, command_set& commands) {
  define_verb<diff_command>(app, commands);
}

void define_apply(CLI::App& app, command_set& commands) {
  define_verb<apply_command>(app, commands);
}

}  // namespace argosy::ctl
