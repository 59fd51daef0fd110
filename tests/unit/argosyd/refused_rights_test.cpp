// SPDX-License-Identifier: Apache-2.0
// Goal: what a nats-server refuses a serving program is told in a sentence, tried again, and
// forgotten when it is given. Method: values and times by hand.
#include "bins/shared/refused_rights.hpp"

#include <gmock/gmock.h>

#include "runtime/access/server_plan.hpp"
#include "runtime/bus/nats/refusal_book.hpp"

namespace argosy {
namespace {

using bus::refusal;
using bus::refusal_book;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(refused_rights, are_told_by_their_subjects_with_the_fix) {
  EXPECT_EQ(refusal_text({}, "argosyd"), "");
  EXPECT_EQ(refusal_text({{access::mark_of_rules(), false}}, "argosyd"), "")
      << "that is a question, which is answered so";
  EXPECT_EQ(refusal_text({{"a.orders", true}}, "this agent"),
            "the nats-server lets this agent hear nothing on 'a.orders': its key has no such right "
            "any more, or the rights of an older version, which `argosyd init DIR --rewrite` "
            "mends");
  EXPECT_THAT(
      refusal_text({{"a", true}, {"b", true}, {"x", false}}, "argosyd"),
      StartsWith("the nats-server lets argosyd hear nothing on 'a' and 'b' and send nothing "
                 "to 'x': "));
  EXPECT_THAT(
      refusal_text({{"a", true}, {"b", true}, {"c", true}, {"d", true}, {"e", true}}, "argosyd"),
      StartsWith("the nats-server lets argosyd hear nothing on 'a', 'b', 'c' and 2 more: "));
  EXPECT_THAT(refusal_concerns({{"a", false}}, "argosyd"), SizeIs(1));
}

TEST(refused_rights, are_tried_again_until_they_are_given) {
  refusal_book book;
  refusal_book::time now{};
  now += seconds{100};
  book.note("a", true, now);
  EXPECT_THAT(book.due(now), IsEmpty());
  EXPECT_THAT(book.due(now += seconds{5}), ElementsAre("a"));
  EXPECT_THAT(book.due(now), IsEmpty()) << "once in a while";
  book.note("a", true, now += seconds{1});
  EXPECT_THAT(book.due(now += seconds{5}), ElementsAre("a"));
  EXPECT_THAT(book.all(), ElementsAre(refusal{"a", true})) << "the answer may be under way";
  EXPECT_THAT(book.due(now += seconds{5}), IsEmpty());
  EXPECT_THAT(book.all(), IsEmpty());
}

TEST(refused_rights, to_send_are_forgotten_when_they_were_not_missed_for_a_while) {
  refusal_book book;
  refusal_book::time now{};
  now += seconds{100};
  for (int i = 0; i < 40; ++i) book.note("reply." + std::to_string(i), false, now);
  EXPECT_THAT(book.all(), SizeIs(16));
  EXPECT_THAT(book.due(now += seconds{59}), IsEmpty());
  EXPECT_THAT(book.all(), SizeIs(16));
  EXPECT_THAT(book.due(now += seconds{1}), IsEmpty());
  EXPECT_THAT(book.all(), IsEmpty());
}

TEST(refused_rights, to_hear_are_not_ousted_by_those_to_send) {
  refusal_book book;
  EXPECT_TRUE(book.note("a", true, {}));
  EXPECT_FALSE(book.note("a", true, {})) << "it is known";
  for (int i = 0; i < 40; ++i) book.note("reply." + std::to_string(i), false, {});
  EXPECT_THAT(book.all(), SizeIs(16));
  EXPECT_EQ(book.all().front(), (refusal{"a", true}));
}

TEST(refused_rights, of_what_nobody_wants_to_hear_are_forgotten) {
  refusal_book book;
  book.note("a", true, {});
  book.note("a", false, {});
  book.forget("a");
  EXPECT_THAT(book.all(), ElementsAre(refusal{"a", false}));
}

}  // namespace
}  // namespace argosy
