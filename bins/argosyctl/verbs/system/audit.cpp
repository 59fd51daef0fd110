// SPDX-License-Identifier: Apache-2.0
// The verb audit: prints who called what that changes something, and what became of it.
#include <fmt/format.h>

#include <chrono>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "bins/argosyctl/verbs/moment.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "messages/proto/argosy/audit.pb.h"

namespace argosy::ctl {

namespace {

using argosy::v1::AuditEntry;

constexpr std::uint32_t limit_default = 100;

class audit_command final : public list_command {
 public:
  explicit audit_command(CLI::App& app) : list_command(app) {
    app.footer(
        "argosyctl audit --since 2h\n"
        "argosyctl audit -q research --method CancelJobs\n"
        "argosyctl audit --user ann --outcome refused -o wide\n"
        "argosyctl audit --since 2026-11-20 --limit 0 -o jsonl");
    app.add_option("--user", user_, "Only calls of this user")->type_name("USER");
    app.add_option("--method", method_, "Only this method: CancelJobs, or Submit.CancelJobs")
        ->type_name("METHOD");
    app.add_option("-q,--queue", queue_, "Only calls about this queue")->type_name("QUEUE");
    app.add_option("--since", since_, "Only from this moment on, or from so long ago: 2h")
        ->type_name("TIME");
    app.add_option("--until", until_, "Only before this moment, or before so long ago")
        ->type_name("TIME");
    app.add_option("--outcome", outcome_, "Only with this: ok, refused, or an error such as denied")
        ->type_name("OUTCOME");
    app.add_option("--limit", limit_, "At most so many, the newest; 0: all")
        ->type_name("N")
        ->capture_default_str();
  }

 protected:
  result<listing> fetch(session& s, client& server) override;

 private:
  [[nodiscard]] result<argosy::v1::ListAuditRequest> request_at(std::int64_t now_ns) const;
  [[nodiscard]] std::string nothing_text() const;
  [[nodiscard]] result<bool> collect(client& server, argosy::v1::ListAuditRequest request,
                                     std::vector<AuditEntry>& out) const;

  std::string user_;
  std::string method_;
  std::string queue_;
  std::string since_;
  std::string until_;
  std::string outcome_;
  std::uint32_t limit_ = limit_default;
};

result<argosy::v1::ListAuditRequest> audit_command::request_at(std::int64_t now_ns) const {
  const auto since = moment_of(since_, "--since", now_ns);
  if (!since) return fail(since.error());
  const auto until = moment_of(until_, "--until", now_ns);
  if (!until) return fail(until.error());
  argosy::v1::ListAuditRequest out;
  out.set_user(user_);
  out.set_method(method_);
  out.set_queue(queue_);
  out.set_outcome(outcome_);
  out.set_since_ns(*since);
  out.set_until_ns(*until);
  return out;
}

/// Collects as many as may be shown, and says whether there are more.
result<bool> audit_command::collect(client& server, argosy::v1::ListAuditRequest request,
                                    std::vector<AuditEntry>& out) const {
  while (true) {
    // One more than is shown says whether there are more.
    if (limit_ > 0) request.set_limit(limit_ + 1 - static_cast<std::uint32_t>(out.size()));
    auto page = call<argosy::v1::ListAuditResponse>(server, "Audit.ListAudit", request);
    if (!page) return fail(std::move(page.error()));
    for (auto& entry : *page->mutable_entries()) {
      if (limit_ > 0 && out.size() == limit_) return true;
      out.push_back(std::move(entry));
    }
    if (page->cursor().empty()) return false;
    request.set_cursor(page->cursor());
  }
}

std::string audit_command::nothing_text() const {
  std::string text = "no call";
  if (!user_.empty()) text += fmt::format(" of user '{}'", user_);
  if (!queue_.empty()) text += fmt::format(" about queue '{}'", queue_);
  const bool more = !method_.empty() || !since_.empty() || !until_.empty() || !outcome_.empty();
  if (more) text += " that meets the conditions";
  if (!more && user_.empty() && queue_.empty()) text += " that was to change something";
  return text + " is recorded";
}

/// What the call was about.
std::string target_of(const AuditEntry& entry) {
  std::string out;
  const auto add = [&](const std::string& what) {
    if (!what.empty()) out += (out.empty() ? "" : " ") + what;
  };
  add(entry.queue().empty() || entry.job_set().empty() ? entry.queue()
                                                       : entry.queue() + "/" + entry.job_set());
  add(entry.cluster().empty() || entry.node().empty() ? entry.cluster() + entry.node()
                                                      : entry.cluster() + "/" + entry.node());
  if (entry.jobs() > 0) add(fmt::format("({} job{})", entry.jobs(), entry.jobs() == 1 ? "" : "s"));
  return out;
}

look look_of(const std::string& outcome) {
  return outcome == "ok" ? look::good : look::bad;
}

result<listing> audit_command::fetch(session& s, client& server) {
  const auto request = request_at(s.now_ns());
  if (!request) return fail(request.error());
  std::vector<AuditEntry> entries;
  const auto more = collect(server, *request, entries);
  if (!more) return fail(more.error());
  listing items{{{"TIME"},
                 {.title = "USER", .yields_to = 8},
                 {.title = "VIA", .spare = 3},
                 {.title = "METHOD", .yields_to = 12},
                 {.title = "TARGET", .yields_to = 12},
                 {"OUTCOME"},
                 {.title = "PROOF", .wide = true},
                 {.title = "FROM", .wide = true},
                 {.title = "SUMMARY", .wide = true},
                 {.title = "DETAIL", .wide = true}}};
  for (const auto& entry : entries) {
    items.rows.add(
        {{utc_time(entry.time_ns()), static_cast<double>(entry.time_ns())},
         entry.user(),
         entry.via(),
         entry.method().empty() ? fmt::format("{} more", entry.left_out()) : entry.method(),
         target_of(entry),
         {entry.outcome(), look_of(entry.outcome())},
         entry.proof(),
         entry.peer(),
         entry.summary(),
         entry.detail()});
    items.names.push_back("audit/" + std::to_string(entry.number()));
    items.json.push_back(json_of(entry));
  }
  if (*more) items.notice = "there are older records; --limit 0 shows all of them";
  if (!entries.empty()) return items;
  // Records of a queue outlive it; where there are none, its name may be misspelt.
  if (auto known = check_queue(server, queue_); !known && known.error().code == ec::not_found)
    return fail(std::move(known.error()));
  items.notice = nothing_text();
  return items;
}

}  // namespace

void define_audit(CLI::App& app, command_set& commands) {
  commands.bind<audit_command>(app);
}

}  // namespace argosy::ctl
