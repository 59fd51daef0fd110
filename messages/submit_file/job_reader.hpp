// SPDX-License-Identifier: Apache-2.0
// A job_reader reads the items under `jobs:` one by one, and collects what is wrong with them. It
// lives for one file.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "messages/codec/submit/gang.hpp"
#include "messages/submit_file/encoder.hpp"
#include "messages/submit_file/job_file.hpp"
#include "messages/submit_file/mistakes.hpp"
#include "runtime/settings/yaml/document.hpp"

namespace argosy::submit_file {

class job_reader {
 public:
  /// All must outlive the reader.
  job_reader(job_file& out, mistake_list& mistakes, remark_list& remarks,
             const job_file_options& options);

  /// Reads one item, which becomes as many jobs as its `count` says. `number` is its number in the
  /// list, from 0. Mistakes are noted and do not end the reading.
  void read(const yaml::node& job, std::size_t number);

  /// Notes gangs that lack members.
  void check_complete(const std::string& file_name);

 private:
  struct parts;

  static parts parts_of(const yaml::node& job);
  void check(const yaml::node& job, const parts& found);
  std::optional<std::uint32_t> read_count(const parts& found);
  /// The numbers of an array; empty: it is none, or a mistake.
  std::vector<std::uint64_t> read_array(const parts& found);
  /// Adds what the job's own keys say to `buffer_`, as annotations. Returns for which jobs it
  /// waits, which is not added for an array.
  std::string add_wishes(const yaml::node& job, const parts& found);
  std::string read_after(const yaml::node& after);
  void add_array(const yaml::node& job, const parts& found, std::size_t number,
                 std::string_view after);
  [[nodiscard]] static std::string telling_name(const yaml::node& job, const parts& found);
  /// The name without the number in an array; empty: the server finds one.
  [[nodiscard]] std::string name_of(const yaml::node& job, const parts& found);
  void add_jobs(const yaml::node& job, const parts& found, std::size_t number);
  /// Adds the last job to its gang, if it has one. False when that is a mistake.
  bool enrol(const yaml::node& job, const parts& found);

  job_file& out_;
  mistake_list& mistakes_;
  remark_list& remarks_;
  const job_file_options& options_;
  const message_plan& plan_;
  encoder encoder_;
  std::string buffer_;
  std::size_t counted_bytes_ = 0;  ///< The bytes of all jobs that `count` repeats.
  codec::gang_roll gangs_;
  std::set<std::string> wrong_gangs_;  ///< The gangs of which members were refused.
};

}  // namespace argosy::submit_file
