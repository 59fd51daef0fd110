// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/witness/verdict.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

namespace argosy::witness {

namespace {

constexpr std::array<std::string_view, 3> ending_names{"any", "succeeds", "fails"};

class judgement {
 public:
  judgement(const log_story& log, const rules& by) : log_(log), by_(by) {}

  void of_log() {
    out_.runs = log_.runs();
    for (const auto& found : log_.findings()) {
      out_.doubled += found.promise == "D2";
      out_.overlaps += found.promise == "D3";
      out_.ends_broken += found.promise == "D4";
      out_.capacity += found.promise == "D5";
      out_.gangs += found.promise == "D6";
      out_.lost += found.promise == "D1";
      note(found.promise, found.text);
    }
  }

  void of_acknowledged(const std::vector<acknowledged>& told) {
    std::map<std::pair<std::string, std::size_t>, std::string> first;
    std::set<std::string> jobs;
    for (const auto& one : told) {
      const auto [at, fresh] = first.try_emplace({one.key, one.item}, one.job);
      if (!fresh && at->second != one.job) {
        ++out_.doubled;
        note("D2", "key " + one.key + ", job " + std::to_string(one.item) + " was told to be " +
                       at->second + " and " + one.job);
      }
      if (jobs.insert(one.job).second) of_job(one);
    }
    out_.acknowledged = jobs.size();
  }

  void of_traces(const traces& seen) {
    for (const auto& [job, processes] : seen) {
      out_.processes += processes.size();
      out_.begun_again += processes.size() > 1;
      for (std::size_t a = 0; a < processes.size(); ++a)
        for (std::size_t b = a + 1; b < processes.size(); ++b)
          of_pair(job, processes[a], processes[b]);
      of_success(job, processes);
    }
  }

  verdict result() && { return std::move(out_); }

 private:
  void note(const std::string& promise, const std::string& text) {
    if (out_.findings.size() < by_.findings_max) out_.findings.push_back({promise, text});
  }

  void of_job(const acknowledged& one) {
    const auto at = log_.jobs().find(one.job);
    if (at == log_.jobs().end()) {
      ++out_.lost;
      return note("D1", "job " + one.job + " was acknowledged and is not in the log");
    }
    const auto& job = at->second;
    if (job.terminals == 0) {
      ++out_.not_over;
      if (by_.all_over) note("D4", "job " + one.job + " has not ended");
      return;
    }
    out_.one_terminal += job.terminals == 1;
    const bool failed = job.terminal == "run_failed" || job.terminal == "job_rejected" ||
                        job.terminal == "job_preempted" ||
                        (by_.knows_cancels && job.terminal == "job_cancelled");
    const bool was_lost =
        by_.lost_max > 0 && job.last_run >= by_.lost_max && job.why.starts_with("Lost ");
    if (one.expected == ending::succeeds && failed && !was_lost) {
      ++out_.unjust;
      note("fault", "job " + one.job + " would have succeeded: " + job.terminal + ", " + job.why);
    }
  }

  void of_pair(const std::string& job, const process_trace& a, const process_trace& b) {
    const auto both = std::min(a.last_ns, b.last_ns) - std::max(a.first_ns, b.first_ns);
    if (both >= 0) {
      ++out_.overlaps;
      note("D3", "runs " + std::to_string(a.run) + " and " + std::to_string(b.run) + " of job " +
                     job + " lived at once for " + std::to_string(both / 1'000'000) + " ms");
    } else if (a.run == b.run) {
      ++out_.overlaps;
      note("D3", "run " + std::to_string(a.run) + " of job " + job + " was started twice");
    }
  }

  void of_success(const std::string& job, const std::vector<process_trace>& processes) {
    const auto at = log_.jobs().find(job);
    if (at == log_.jobs().end()) {
      ++out_.unwitnessed;
      return note("D1", "job " + job + " has run and is not in the log");
    }
    if (at->second.terminal != "run_succeeded") return;
    const bool ended = std::ranges::any_of(processes, [&](const process_trace& one) {
      return one.ended && one.run == at->second.last_run;
    });
    if (ended) return;
    ++out_.unwitnessed;
    note("D4", "job " + job + " succeeded with run " + std::to_string(at->second.last_run) +
                   ", which did not come to its end");
  }

  const log_story& log_;
  const rules& by_;
  verdict out_;
};

}  // namespace

bool verdict::good() const {
  return findings.empty();
}

verdict judge(const log_story& log, const traces& seen, const std::vector<acknowledged>& told,
              const rules& by) {
  judgement made{log, by};
  made.of_log();
  made.of_acknowledged(told);
  made.of_traces(seen);
  return std::move(made).result();
}

std::string to_text(const verdict& of) {
  std::ostringstream out;
  out << "acknowledged jobs            " << of.acknowledged << "\n"
      << "D1 lost                      " << of.lost << " of " << of.acknowledged << "\n"
      << "D2 accepted twice            " << of.doubled << "\n"
      << "D3 two runs at once          " << of.overlaps << " of " << of.processes << " processes, "
      << of.begun_again << " jobs with more than one\n"
      << "D4 exactly one end           " << of.one_terminal << " of " << of.acknowledged << ", "
      << of.not_over << " without, " << of.ends_broken << " broken\n"
      << "D5 nodes over capacity       " << of.capacity << " of " << of.runs << " leases\n"
      << "D6 gangs begun in part       " << of.gangs << "\n"
      << "failed for a fault not theirs " << of.unjust << "\n"
      << "succeeded without their end  " << of.unwitnessed << "\n";
  for (const auto& found : of.findings) out << found.promise << ": " << found.text << "\n";
  return out.str();
}

std::string print_acknowledged(const std::vector<acknowledged>& all) {
  std::ostringstream out;
  for (const auto& one : all)
    out << one.key << ' ' << one.item << ' ' << one.job << ' '
        << ending_names.at(static_cast<std::size_t>(one.expected)) << '\n';
  return out.str();
}

std::vector<acknowledged> parse_acknowledged(std::string_view text) {
  std::vector<acknowledged> out;
  std::istringstream lines{std::string{text}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    acknowledged one;
    std::string name;
    if (!(words >> one.key >> one.item >> one.job >> name)) continue;
    const auto at = std::ranges::find(ending_names, name);
    if (at != ending_names.end()) one.expected = static_cast<ending>(at - ending_names.begin());
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace argosy::witness
