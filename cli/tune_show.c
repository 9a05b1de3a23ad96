/* What came of tuning: a table, JSON, a picture; and files of choices put together. */
#include "cli/tune.h"

#include <math.h>
#include <stdio.h>

/* ---- the table ---- */

static size_t width_of(const Tune *tune)
{
	size_t width = 13;
	for (size_t i = 0; i < tune->count; i++)
		if (!tune->at[i].pruned && strlen(tune->at[i].text) > width)
			width = strlen(tune->at[i].text);
	return width;
}

static bool has_time(const Candidate *c)
{
	return !c->pruned && c->found.seconds > 0 && c->found.state != NESO_TUNE_FAILED;
}

/* By time; those without behind, in their order. */
static size_t *sorted(const Tune *tune)
{
	size_t *order = take(sizeof *order * (tune->count + 1));
	for (size_t i = 0; i < tune->count; i++) {
		size_t at = i;
		for (; at > 0; at--) {
			const Candidate *before = &tune->at[order[at - 1]], *mine = &tune->at[i];
			if (!has_time(mine) ||
			    (has_time(before) && before->found.seconds <= mine->found.seconds))
				break;
			order[at] = order[at - 1];
		}
		order[at] = i;
	}
	return order;
}

static void show_row(const Tune *tune, const Candidate *c, size_t width)
{
	printf("%-*s", (int)width, c->text);
	if (!has_time(c))
		printf("  %36s %s%s%s\n", "", neso_tune_state_text(c->found.state),
		       c->found.why ? ": " : "", c->found.why ? c->found.why : "");
	else
		printf("  %10.2f us  %5.1f %%  %7.3f  %5u %s\n", c->found.seconds * 1e6,
		       c->found.noise * 100, c->found.seconds / tune->summary.best, c->found.runs,
		       neso_tune_state_text(c->found.state));
}

void tune_show_table(const Tune *tune)
{
	size_t width = width_of(tune), *order = sorted(tune);
	const neso_tune_summary *s = &tune->summary;
	printf("%-*s  %10s     %7s  %7s  %5s\n", (int)width, "configuration", "time", "noise",
	       "times", "runs");
	for (size_t i = 0; i < tune->count; i++)
		if (!tune->at[order[i]].pruned)
			show_row(tune, &tune->at[order[i]], width);
	if (tune->pruned)
		printf("%zu more were left out before anything was compiled (--json says why)\n",
		       tune->pruned);
	if (tune->chosen < s->count)
		printf("%zu tried in %.1f s, %u rounds; %s\n", s->count, s->seconds, s->rounds,
		       s->settled ? take_printf("none of the others is faster by more than %g %%, "
						"with a confidence of %g %%",
						s->tie * 100, s->confidence * 100)
		       : s->out_of_time ? "time ended before that was certain"
					: "those that are close were not told apart");
}

/* ---- JSON ---- */

static void show_candidate(const Candidate *c)
{
	printf("{\"config\": ");
	print_json_text(c->text);
	printf(", \"state\": ");
	print_json_text(c->pruned ? "pruned" : neso_tune_state_text(c->found.state));
	printf(", \"why\": ");
	print_json_text(c->pruned ? c->pruned : c->found.why);
	if (has_time(c))
		printf(", \"seconds\": %.9g, \"noise\": %.4g, \"runs\": %u", c->found.seconds,
		       c->found.noise, c->found.runs);
	if (has_time(c) && isfinite(c->found.high))
		printf(", \"low\": %.6g, \"high\": %.6g", c->found.low, c->found.high);
	if (c->model > 0)
		printf(", \"model_seconds\": %.6g", c->model);
	putchar('}');
}

void tune_show_json(const Tune *tune, const neso_tuned_entry *entry)
{
	const neso_tune_summary *s = &tune->summary;
	printf("{\"kernel\": ");
	print_json_text(tune->info.name);
	if (entry) {
		const char *const texts[][2] = {{"content", entry->content},
						{"gpu", entry->gpu},
						{"driver", entry->driver},
						{"key", entry->key},
						{"config", entry->config}};
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
			printf(", \"%s\": ", texts[i][0]);
			print_json_text(texts[i][1]);
		}
	}
	printf(", \"settled\": %s, \"out_of_time\": %s, \"rounds\": %u, \"seconds\": %.6g, "
	       "\"confidence\": %g, \"candidates\": [",
	       s->settled ? "true" : "false", s->out_of_time ? "true" : "false", s->rounds,
	       s->seconds, s->confidence);
	for (size_t i = 0; i < tune->count; i++) {
		fputs(i ? ",\n" : "\n", stdout);
		show_candidate(&tune->at[i]);
	}
	puts("\n]}");
}

/* ---- the picture: a bar for each that ran, from the fastest on ---- */

static const char *escaped(const char *text)
{
	const char *out = "";
	for (; *text; text++)
		out = take_printf("%s%s", out,
				  *text == '<'	 ? "&lt;"
				  : *text == '&' ? "&amp;"
				  : *text == '>' ? "&gt;"
						 : take_printf("%c", *text));
	return out;
}

static const char *bar_of(const Tune *tune, const Candidate *c, size_t row, double slowest,
			  double left)
{
	enum { HEIGHT = 18, BARS = 420 };
	double y = 34 + HEIGHT * (double)row, length = c->found.seconds / slowest * BARS;
	double error = length * c->found.noise;
	const char *colour = c->found.state == NESO_TUNE_CHOSEN	 ? "#2a7"
			     : c->found.state == NESO_TUNE_CLOSE ? "#7b9"
								 : "#89b";
	return take_printf("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%s</text>"
			   "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"12\" "
			   "fill=\"%s\"><title>%s: %u runs</title></rect>"
			   "<path d=\"M%.1f %.0fh%.1f\" stroke=\"#333\"/><text x=\"%.1f\" "
			   "y=\"%.0f\">%.2f us, %.3f</text>\n",
			   left - 8, y + 11, escaped(c->text), left, y + 1, length, colour,
			   neso_tune_state_text(c->found.state), c->found.runs,
			   left + length - error, y + 7, 2 * error, left + length + error + 6,
			   y + 11, c->found.seconds * 1e6, c->found.seconds / tune->summary.best);
}

bool tune_plot(const Tune *tune, const char *path)
{
	size_t *order = sorted(tune), rows = 0;
	double slowest = 0, left = 7.0 * (double)width_of(tune) + 20;
	for (size_t i = 0; i < tune->count; i++)
		if (has_time(&tune->at[i])) {
			slowest = fmax(slowest, tune->at[i].found.seconds);
			rows++;
		}
	const char *text = take_printf(
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%zu\" "
		"font-family=\"monospace\" font-size=\"11\">\n<rect width=\"100%%\" "
		"height=\"100%%\" fill=\"#fff\"/>"
		"<text x=\"12\" y=\"20\" font-size=\"14\">%s: time of a run</text>\n",
		left + 620, 50 + 18 * rows, escaped(tune->info.name));
	for (size_t i = 0; i < rows; i++)
		text = take_printf("%s%s", text,
				   bar_of(tune, &tune->at[order[i]], i, slowest, left));
	text = take_printf("%s</svg>\n", text);
	return write_file(path, text, strlen(text));
}

/* ---- files ---- */

static bool is_wanted(const Parsed *parsed, const neso_tuned_entry *entry)
{
	bool any = false;
	for (size_t i = 0; i < parsed->given_count; i++) {
		if (strcmp(parsed->given[i].option->name, "only") != 0)
			continue;
		any = true;
		if (strstr(entry->kernel, parsed->given[i].value) ||
		    strstr(entry->gpu, parsed->given[i].value))
			return true;
	}
	return !any;
}

static int merge_into(const Parsed *parsed, neso_tuned *all, neso_tuned *out)
{
	neso_diagnostics *diagnostics;
	neso_status status;
	for (size_t i = 0; i < parsed->arg_count; i++) {
		status = neso_tuned_read(all, parsed->args[i], &diagnostics);
		int result = report(parsed, status, diagnostics);
		if (result != EXIT_DONE)
			return result;
	}
	for (size_t i = 0; i < neso_tuned_count(all); i++) {
		neso_tuned_entry entry = {.size = sizeof entry};
		neso_tuned_get(all, i, &entry);
		if (!is_wanted(parsed, &entry))
			continue;
		status = neso_tuned_put(out, &entry, &diagnostics);
		int result = report(parsed, status, diagnostics);
		if (result != EXIT_DONE)
			return result;
	}
	const char *path = option_value(parsed, "out");
	status = neso_tuned_write(out, path ? path : "-", &diagnostics);
	return report(parsed, status, diagnostics);
}

int tune_merge(const Parsed *parsed)
{
	neso_tuned *all = NULL, *out = NULL;
	if (!parsed->arg_count)
		return usage_error("neso tune --merge wants files");
	int result = neso_tuned_new(&all, NULL) == NESO_OK && neso_tuned_new(&out, NULL) == NESO_OK
			     ? EXIT_DONE
			     : EXIT_INPUT;
	if (result == EXIT_DONE)
		result = merge_into(parsed, all, out);
	neso_tuned_free(all);
	neso_tuned_free(out);
	return result;
}
