// SPDX-License-Identifier: Apache-2.0
// The verb get jobs: prints jobs by filters or by ids, one a row, or on a terminal by job set when
// there are many.
#include <fmt/format.h>

#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/job_lists/job_details.hpp"
#include "bins/argosyctl/verbs/job_lists/job_filter.hpp"
#include "bins/argosyctl/verbs/job_lists/job_set_table.hpp"
#include "bins/argosyctl/verbs/job_lists/job_table.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::JobSummary;

constexpr std::size_t rows_before_grouping = 200;
/// How many rows are laid out together; more are never held.
constexpr std::size_t rows_in_a_page = 1'000;

class get_jobs_command final : public list_command {
 public:
  explicit get_jobs_command(CLI::App& app) : list_command(app) {
    app.footer(
        "argosyctl get jobs -q team-a --active\n"
        "argosyctl get jobs --state failed --jobset nightly -o wide\n"
        "argosyctl get jobs @last -o json\n"
        "argosyctl get jobs --sort-by=-age --limit 20\n"
        "argosyctl get jobs --where 'state:failed exit:137 age<1d' -l app=train\n"
        "argosyctl get jobs --owner me --group-by jobSet");
    filter_.add_options(app);
    auto* all = app.add_flag("--all", all_, "A row for every job, however many there are");
    app.add_flag("--by-set", by_set_,
                 "A row for every job set that has such jobs, with all its numbers; what a "
                 "terminal gets when there are more than 200 jobs")
        ->excludes(all);
    app.add_option("--group-by", group_by_,
                   "A row for each value of this field: queue, jobSet, state, owner, cluster, "
                   "node, pool, annotation.NAME, label.NAME, ...")
        ->type_name("FIELD")
        ->excludes(all);
  }
  std::string_view completes() const override { return "jobs"; }

 protected:
  result<bool> stream(session& s, client& server) override;
  result<listing> fetch(session& s, client& server) override;
  result<void> print(session& s, client& server, const listing& items) override;

 private:
  result<void> prepare(session& s);
  result<bool> is_grouped(session& s, client& server) const;
  result<listing> fetch_sets(session& s, client& server) const;
  result<listing> fetch_groups(session& s, client& server) const;
  result<std::size_t> stream_rows(session& s, client& server) const;
  result<std::size_t> stream_details(session& s, client& server) const;
  result<std::size_t> stream_names(session& s, client& server) const;

  job_filter filter_;
  bool all_ = false;
  bool by_set_ = false;
  std::string group_by_;
  bool prepared_ = false;
  /// The jobs of the last fetch by their names, if their details are to be printed.
  std::map<std::string, JobSummary> fetched_;
};

bool prints_details(const session& s) {
  return s.as == format::json || s.as == format::jsonl || s.as == format::yaml;
}

result<void> get_jobs_command::prepare(session& s) {
  if (prepared_) return {};
  if (auto valid = filter_.check(); !valid) return valid;
  if (by_set_ && (filter_.has_names() || filter_.is_search()))
    return fail(ec::invalid_argument,
                "--by-set lists whole job sets; name no jobs with it, and give no conditions but "
                "--queue, --jobset, --state and --active. '--group-by jobSet' counts the jobs that "
                "meet conditions");
  if (!group_by_.empty() && filter_.has_names())
    return fail(ec::invalid_argument, "--group-by counts all jobs; name no jobs with it");
  prepared_ = true;
  return filter_.read_names(s);
}

/// Whether a person gets an overview, since there are more rows than anybody can read.
result<bool> get_jobs_command::is_grouped(session& s, client& server) const {
  if (by_set_) return true;
  const bool may_be = s.as == format::table && s.out.where().out_is_terminal && !all_ &&
                      s.flags.sort_by.empty() && !filter_.has_names() && !filter_.has_limit() &&
                      !filter_.is_search();
  if (!may_be) return false;
  auto request = filter_.request();
  request.set_limit(rows_before_grouping + 1);
  const auto first = list_jobs(server, request);
  if (!first) return fail(first.error());
  return first->size() > rows_before_grouping;
}

result<listing> get_jobs_command::fetch_sets(session& s, client& server) const {
  const auto found = list_job_sets(server, filter_.request().queue());
  if (!found) return fail(found.error());
  std::vector<const argosy::v1::JobSetSummary*> sets;
  for (const auto& set : *found)
    if (filter_.passes(set)) sets.push_back(&set);
  auto items = job_set_listing(sets, s.now_ns());
  if (!by_set_)
    items.notice = fmt::format(
        "there are more than {} such jobs: these are their job sets with all their jobs; --all "
        "shows the jobs one by one, --by-set chooses this table",
        rows_before_grouping);
  return items;
}

result<listing> get_jobs_command::fetch_groups(session& s, client& server) const {
  const auto dot = group_by_.find('.');
  argosy::v1::GroupJobsRequest request;
  request.set_where(filter_.search().where());
  *request.mutable_conditions() = filter_.search().conditions();
  request.set_group_by(group_by_.substr(0, dot));
  if (dot != std::string::npos) request.set_key(group_by_.substr(dot + 1));
  request.set_limit(filter_.search().limit());
  const auto found = call<argosy::v1::GroupJobsResponse>(server, "Query.GroupJobs", request);
  if (!found) return fail(found.error());
  auto items = job_group_listing(*found, group_by_, s.now_ns());
  if (found->incomplete())
    items.notice = fmt::format(
        "the server had time to look at {} jobs only: the numbers are too small; ask for one queue "
        "or job set, or for fewer states",
        found->looked_at());
  if (found->groups_size() > 0 || found->incomplete()) return items;
  if (auto known = filter_.check_names(server); !known) return fail(std::move(known.error()));
  items.notice = filter_.nothing_text();
  return items;
}

/// Prints rows page by page and returns how many there were.
result<std::size_t> get_jobs_command::stream_rows(session& s, client& server) const {
  auto options = table_options_of(s);
  table_layout layout;
  table page{job_columns()};
  const auto chosen = page.columns_named(s.columns);
  if (!chosen) return fail(chosen.error());
  std::size_t count = 0;
  const auto flush = [&] {
    if (!chosen->empty()) page.choose(*chosen);
    s.out.print(s.as == format::csv ? page.csv(options.headers) : page.draw(options, layout));
    options.headers = false;
    page = table{job_columns()};
  };
  auto done = filter_.for_each(server, [&](JobSummary& job) {
    page.add(job_row(job, s.now_ns()));
    ++count;
    if (page.rows() == rows_in_a_page) flush();
    return s.out.good() && !s.is_interrupted();
  });
  if (!done) return fail(std::move(done.error()));
  if (page.rows() > 0 || count == 0) flush();
  return count;
}

result<std::size_t> get_jobs_command::stream_details(session& s, client& server) const {
  details_printer printer{s, server, filter_.is_one_job()};
  std::size_t count = 0;
  result<void> added;
  auto done = filter_.for_each(server, [&](JobSummary& job) {
    ++count;
    added = printer.add(job);
    return added.has_value();
  });
  if (!added) return fail(std::move(added.error()));
  if (!done) return fail(std::move(done.error()));
  if (auto finished = printer.finish(); !finished) return fail(std::move(finished.error()));
  return count;
}

result<std::size_t> get_jobs_command::stream_names(session& s, client& server) const {
  std::size_t count = 0;
  auto done = filter_.for_each(server, [&](JobSummary& job) {
    s.out.print_line("job/" + job.job_id());
    ++count;
    return s.out.good() && !s.is_interrupted();
  });
  if (!done) return fail(std::move(done.error()));
  return count;
}

result<bool> get_jobs_command::stream(session& s, client& server) {
  if (auto ready = prepare(s); !ready) return fail(std::move(ready.error()));
  if (!s.flags.sort_by.empty() || by_set_ || !group_by_.empty()) return false;
  const bool rows = is_table(s.as) || s.as == format::csv;
  if (rows) {
    const auto grouped = is_grouped(s, server);
    if (!grouped) return fail(grouped.error());
    if (*grouped) return false;
  }
  const auto count = rows                   ? stream_rows(s, server)
                     : s.as == format::name ? stream_names(s, server)
                                            : stream_details(s, server);
  if (!count) return fail(count.error());
  if (*count > 0) return true;
  if (auto known = filter_.check_names(server); !known) return fail(std::move(known.error()));
  s.out.flush();
  if (is_table(s.as)) s.out.notice(filter_.nothing_text());
  return true;
}

result<listing> get_jobs_command::fetch(session& s, client& server) {
  if (auto ready = prepare(s); !ready) return fail(std::move(ready.error()));
  if (!group_by_.empty()) return fetch_groups(s, server);
  const auto grouped = is_grouped(s, server);
  if (!grouped) return fail(grouped.error());
  if (*grouped) return fetch_sets(s, server);
  listing items{job_columns()};
  fetched_.clear();
  auto done = filter_.for_each(server, [&](JobSummary& job) {
    items.rows.add(job_row(job, s.now_ns()));
    items.names.push_back("job/" + job.job_id());
    if (prints_details(s)) fetched_[items.names.back()] = std::move(job);
    return true;
  });
  if (!done) return fail(std::move(done.error()));
  items.bare = filter_.is_one_job() && items.names.size() == 1;
  if (!items.names.empty()) return items;
  if (auto known = filter_.check_names(server); !known) return fail(std::move(known.error()));
  items.notice = filter_.nothing_text();
  return items;
}

/// The details of jobs are asked for only here, when it is known which of them are printed.
result<void> get_jobs_command::print(session& s, client& server, const listing& items) {
  if (!prints_details(s) || by_set_ || !group_by_.empty()) {
    show(s, items);
    return {};
  }
  details_printer printer{s, server, items.bare};
  for (const auto& name : items.names)
    if (auto added = printer.add(fetched_[name]); !added) return added;
  return printer.finish();
}

}  // namespace

void define_get_jobs(CLI::App& get, command_set& commands) {
  commands.bind<get_jobs_command>(
      add_kind(get, "jobs", "Jobs, one a line; on a terminal by job set if they are very many.",
               {"job", "j"}));
}

}  // namespace argosy::ctl
