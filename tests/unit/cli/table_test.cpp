#include "cli/table.h"

#include <gtest/gtest.h>

namespace gpuprobe::cli {
namespace {

Table sample() {
  Table table({"name", "n"});
  table.add({"a, \"b\"", "5"});
  table.add({"c|d"});
  table.add({"e", "-12"});
  return table;
}

TEST(Table, TextAlignsNumbersToTheRight) {
  Table table({"name", "n"});
  table.add({"a", "5"});
  table.add({"long name", "512"});
  EXPECT_EQ(render(table, TableFormat::kText), "name         n\na            5\nlong name  512\n");
}

TEST(Table, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(render(sample(), TableFormat::kCsv), "name,n\n\"a, \"\"b\"\"\",5\nc|d,\ne,-12\n");
}

TEST(Table, MarkdownEscapesBars) {
  EXPECT_EQ(render(sample(), TableFormat::kMarkdown),
            "| name | n |\n|---|---:|\n| a, \"b\" | 5 |\n| c\\|d |  |\n| e | -12 |\n");
}

TEST(Wrap, BreaksAtWordsAndKeepsParagraphs) {
  EXPECT_EQ(wrap("one two three", 9, 2), "  one two\n  three\n");
  EXPECT_EQ(wrap("a\n\nb", 10, 0), "a\n\nb\n");
  EXPECT_EQ(wrap("incomprehensible", 4, 0), "incomprehensible\n");
  EXPECT_EQ(wrap("", 10, 0), "");
}

}  // namespace
}  // namespace gpuprobe::cli
