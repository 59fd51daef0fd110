// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/job_reference.hpp"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iomanip>

#include "bins/argosyctl/client/input.hpp"
#include "runtime/base/text.hpp"

namespace argosy::ctl {

namespace {

/// Collects references, each once.
class collector {
 public:
  result<void> add(std::string_view word) {
    auto reference = job_reference::parse(word);
    if (!reference) return fail(std::move(reference.error()));
    if (seen_.insert(*reference).second) out_.push_back(*reference);
    return {};
  }

  result<void> add_all_of(std::istream& in) {
    errno = 0;
    constexpr int word_size_max = 100;
    for (std::string word; in >> std::setw(word_size_max) >> word;)
      if (auto added = add(word); !added) return added;
    return check_input(in);
  }

  result<void> add_lines_of(std::string_view text) {
    while (!text.empty()) {
      const auto line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      if (line.empty()) continue;
      if (auto added = add(line); !added) return added;
    }
    return {};
  }

  std::vector<job_reference> take() { return std::move(out_); }

 private:
  std::vector<job_reference> out_;
  absl::flat_hash_set<job_reference> seen_;
};

}  // namespace

job_reference job_reference::of_id(std::string_view id) noexcept {
  job_reference out;
  out.size_ = static_cast<std::uint8_t>(std::min(id.size(), id_size));
  std::copy_n(id.begin(), out.size_, out.text_.begin());
  return out;
}

result<job_reference> job_reference::parse(std::string_view word) {
  auto id = word;
  if (id.starts_with("job/")) id.remove_prefix(4);
  const auto lower = lower_case(id);
  if (!is_job_id_prefix(lower))
    return fail(ec::invalid_argument,
                fmt::format("'{}' is neither a job id nor the beginning of one", id));
  return of_id(lower);
}

bool is_job_id_prefix(std::string_view text) {
  constexpr std::string_view letters = "0123456789abcdefghjkmnpqrstvwxyz";
  return !text.empty() && text.size() <= job_reference::id_size &&
         text.find_first_not_of(letters) == std::string_view::npos;
}

bool names_a_job(std::string_view word) {
  return word == "@last" || word == "-" || word.starts_with("job/") ||
         (word.starts_with('0') && is_job_id_prefix(lower_case(word)));
}

result<std::vector<job_reference>> expand_references(const std::vector<std::string>& words,
                                                     const last_jobs_function& last,
                                                     std::istream& in) {
  collector all;
  for (const auto& word : words) {
    result<void> added;
    if (word == "-") {
      added = all.add_all_of(in);
    } else if (word == "@last") {
      const auto jobs = last();
      if (!jobs) return fail(jobs.error());
      added = all.add_lines_of(*jobs);
    } else {
      added = all.add(word);
    }
    if (!added) return fail(std::move(added.error()));
  }
  return all.take();
}

}  // namespace argosy::ctl
