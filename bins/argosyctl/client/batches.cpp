// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/batches.hpp"

#include <algorithm>
#include <future>
#include <memory>

namespace argosy::ctl {

namespace {

std::future<result<std::string>> ask(client& server, const batched_question& about,
                                     std::size_t first, std::size_t last) {
  auto promise = std::make_shared<std::promise<result<std::string>>>();
  server.start(about.method, about.request(first, last),
               [promise](result<std::string> answer) { promise->set_value(std::move(answer)); });
  return promise->get_future();
}

}  // namespace

result<void> ask_in_batches(client& server, const batched_question& about) {
  auto step = std::max<std::size_t>(1, about.step);
  std::size_t first = 0;
  const auto end_of = [&](std::size_t from) { return std::min(about.items, from + step); };
  std::future<result<std::string>> ahead;
  if (about.items > 0) ahead = ask(server, about, 0, end_of(0));
  while (first < about.items) {
    const auto last = end_of(first);
    auto data = ahead.get();
    if (!data && may_recover(data.error().code))
      data = server.call(about.method, about.request(first, last), repeatable::yes);
    if (!data && may_be_too_long(data.error().code) && last - first > 1) {
      step = (last - first) / 2;
      ahead = ask(server, about, first, end_of(first));
      continue;
    }
    if (!data) return fail(std::move(data.error()));
    if (last < about.items) ahead = ask(server, about, last, end_of(last));
    if (auto used = about.use(first, last, *data); !used) return used;
    first = last;
  }
  return {};
}

}  // namespace argosy::ctl
