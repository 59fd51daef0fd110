// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/list_command.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Finds the rows that are new or look different from what was seen before.
class change_list {
 public:
  /// `wide` says whether a difference in a column of -o wide counts as a change.
  explicit change_list(bool wide) : wide_(wide) {}

  std::vector<std::size_t> take(const listing& items) {
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < items.names.size(); ++i) {
      auto now = items.rows.lasting_text(i, wide_);
      auto [at, fresh] = seen_.try_emplace(items.names[i]);
      if (!fresh && at->second == now) continue;
      at->second = std::move(now);
      changed.push_back(i);
    }
    return changed;
  }

 private:
  bool wide_;
  std::map<std::string, std::string> seen_;
};

/// Waits. Returns false when the user wants to stop, or when the time is over.
bool pause_until(const session& s, steady_clock::time_point when,
                 std::optional<steady_clock::time_point> deadline) {
  while (!s.should_stop()) {
    const auto now = steady_clock::now();
    if (deadline && now >= *deadline) return false;
    const auto left = std::min(when, deadline.value_or(when)) - now;
    if (now >= when) return true;
    std::this_thread::sleep_for(std::min<steady_clock::duration>(left, 50ms));
  }
  return false;
}

/// "fair share" as "Fair share", as describe titles its lines.
std::string line_title(std::string text) {
  for (std::size_t i = 1; i < text.size(); ++i)
    if (text[i] >= 'A' && text[i] <= 'Z') text[i] = static_cast<char>(text[i] + ('a' - 'A'));
  return text == "Cpu" ? "CPU" : text;
}

/// Prints each thing as lines of a title and a value; what is empty is left out.
void show_details(session& s, const listing& items) {
  std::size_t width = 12;
  for (const auto& column : items.rows.columns())
    width = std::max(width, display_width(column.title) + 2);
  for (std::size_t i = 0; i < items.rows.rows(); ++i) {
    if (i > 0) s.out.print_line("");
    const auto line = [&](const std::string& title, const std::string& text, look as) {
      if (text.empty()) return;
      s.out.print_line(s.out.paint(padded(title, width), look::strong) +
                       s.out.paint(escaped(text), as));
    };
    for (std::size_t c = 0; c < items.rows.columns().size(); ++c) {
      const auto& cell = items.rows.at(i, c);
      line(line_title(items.rows.columns()[c].title), cell.text, cell.as);
    }
    if (i < items.details.size())
      for (const auto& [title, text] : items.details[i]) line(title, text, look::plain);
    const auto closing = items.tables.find(i);
    if (closing == items.tables.end()) continue;
    const auto& [title, rows] = closing->second;
    s.out.print_line("\n" + s.out.paint(title, look::strong));
    if (rows.rows() > 0) show_table(s, rows);
  }
}

/// Says how to go on, as every verb does that ends while it waits.
exit_code end_following(session& s) {
  const bool stopped = s.should_stop();
  if (!stopped) s.out.error_line("timed out");
  s.out.notice("the same command shows the list again");
  return stopped ? exit_code::interrupted : exit_code::timed_out;
}

}  // namespace

list_command::list_command(CLI::App& app, goes_on how)
    : details_(app.get_parent() != nullptr && app.get_parent()->get_name() == "describe") {
  if (details_ || how == goes_on::by_kind) return;
  app.add_flag("-w,--watch", watch_,
               "Go on: redraw the table on a terminal, else print what changed");
}

result<void> list_command::print(session& s, client&, const listing& items) {
  show(s, items);
  return {};
}

result<exit_code> list_command::follow(session& s, client& server) {
  if (s.as == format::json || s.as == format::yaml)
    return fail(ec::invalid_argument, "-w prints one change after the other; use -o jsonl");
  const bool redraws = s.out.where().out_is_terminal && is_table(s.as);
  // Every format but the table shows the wide columns, too; chosen columns are not wide.
  change_list changes{s.as != format::table};
  auto answered = steady_clock::now();
  const auto deadline = s.deadline();
  while (true) {
    const auto begun = steady_clock::now();
    auto items = fetch(s, server);
    if (!items && !(may_recover(items.error().code) && begun - answered < s.patience()))
      return fail(std::move(items.error()));
    if (items) {
      answered = steady_clock::now();
      if (auto done = settle_listing(s, *items); !done) return fail(std::move(done.error()));
      if (redraws) {
        s.out.redraw(table_text(s, items->rows));
      } else if (const auto changed = changes.take(*items); !changed.empty()) {
        arrange(*items, changed);
        if (auto printed = print(s, server, *items); !printed)
          return fail(std::move(printed.error()));
        s.flags.no_headers = true;
      }
      s.out.flush();
    } else {
      s.out.status("the server is away; waiting for it…");
    }
    // A list that takes long to fetch is fetched more rarely.
    const auto took = steady_clock::now() - begun;
    if (!pause_until(s, begun + std::max<steady_clock::duration>(s.refresh_period, 2 * took),
                     deadline))
      return end_following(s);
  }
}

result<exit_code> list_command::describe(session& s, client& server) {
  const auto items = fetch(s, server);
  if (!items) return fail(items.error());
  if (s.as == format::table)
    show_details(s, *items);
  else
    show(s, *items);
  s.out.flush();
  if (!items->hint.empty()) s.out.hint(items->hint);
  return exit_code::success;
}

result<exit_code> list_command::run(session& s) {
  s.patient = watch_;
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  if (details_) return describe(s, **server);
  if (watch_) return follow(s, **server);
  const auto streamed = stream(s, **server);
  if (!streamed) return fail(streamed.error());
  if (*streamed) return exit_code::success;
  auto items = fetch(s, **server);
  if (!items) return fail(std::move(items.error()));
  if (auto done = settle_listing(s, *items); !done) return fail(std::move(done.error()));
  if (auto printed = print(s, **server, *items); !printed) return fail(std::move(printed.error()));
  show_remarks(s, *items);
  return exit_code::success;
}

}  // namespace argosy::ctl
