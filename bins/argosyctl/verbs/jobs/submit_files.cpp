// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/jobs/submit_files.hpp"

#include <fmt/format.h>

#include <charconv>

#include "messages/submit_file/locate.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t jobs_per_request = 1'000;  // A gang may be larger.

std::size_t jobs_of(std::span<const request_origin> origins) {
  std::size_t jobs = 0;
  for (const auto& origin : origins) jobs += origin.jobs.size();
  return jobs;
}

}  // namespace

result<divided_files> divide_files(const std::vector<named_file>& files, std::size_t bytes_max) {
  divided_files out;
  for (const auto& file : files) {
    auto parts = submit_file::divide(file.content, bytes_max, jobs_per_request);
    if (!parts) return fail(std::move(parts.error()));
    for (auto& part : *parts) {
      out.jobs += part.jobs.size();
      out.requests.push_back({std::move(part.bytes), part.jobs.size()});
      out.origins.push_back({&file, std::move(part.jobs)});
    }
  }
  return out;
}

std::string where_to_look(const request_origin& origin) {
  return fmt::format("look with argosyctl get jobs --queue {} --jobset {}",
                     origin.file->content.queue, origin.file->content.job_set);
}

std::string placed(const error& why, const request_origin& origin) {
  const auto& message = why.detail;
  constexpr std::string_view marker = "job_request_items[";
  const auto at = message.find(marker);
  const bool of_content = why.code == ec::invalid_argument || why.code == ec::too_large;
  const auto whole_file = of_content ? origin.file->name + ": " + message : message;
  if (at == std::string::npos) return whole_file;
  std::size_t index = 0;
  const auto* const first = message.data() + at + marker.size();
  const auto [end, failed] = std::from_chars(first, message.data() + message.size(), index);
  if (failed != std::errc{} || index >= origin.jobs.size()) return whole_file;
  const auto& job = origin.file->content.jobs[origin.jobs[index]];
  std::string_view rest{end, message.data() + message.size()};
  if (rest.starts_with(']')) rest.remove_prefix(1);
  std::size_t path_size = 0;
  auto place = submit_file::locate(origin.file->text, job.number, rest, path_size);
  if (!place)
    place = {job.line, job.column,
             fmt::format("jobs[{}]{}", job.number, rest.substr(0, path_size))};
  return fmt::format("{}:{}:{}: {}{}{}", origin.file->name, place->line, place->column,
                     message.substr(0, at), place->field, rest.substr(path_size));
}

std::string how_far(std::size_t accepted, const submission_error& failed,
                    std::span<const request_origin> origins) {
  auto text = fmt::format("{} of {} jobs were accepted", accepted, jobs_of(origins));
  if (failed.unanswered > 0)
    text += fmt::format("; whether {} more were is unknown: {}",
                        jobs_of(origins.subspan(failed.first_unanswered, failed.unanswered)),
                        where_to_look(origins[failed.first_unanswered]));
  return text;
}

}  // namespace argosy::ctl
