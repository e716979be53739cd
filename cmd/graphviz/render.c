/* render.c - see render.h. */
#include "config.h"

#include "render.h"

#include <stdlib.h>
#include <string.h>

#if HAVE_LIBGVC
#include <graphviz/gvc.h>

static const char *const formats[] = { "svg", "png", "pdf", "ps",
				       "jpg", "gif", NULL };

bool
render_knows(const char *format)
{
	for (size_t i = 0; formats[i]; i++)
		if (!strcmp(formats[i], format))
			return true;
	return false;
}

/*
 * Dragging moves the drawing, the wheel zooms at the pointer, a double click
 * resets. Changes only the viewBox, so the drawing stays as Graphviz made it.
 */
static const char script[] =
	"<script type=\"text/ecmascript\"><![CDATA[\n"
	"(function () {\n"
	"  var svg = document.documentElement, start = null;\n"
	"  var box = svg.viewBox.baseVal, home = [box.x, box.y, box.width, "
	"box.height];\n"
	"  function show(b) { svg.setAttribute('viewBox', b.join(' ')); }\n"
	"  function at(e) {\n"
	"    var p = svg.createSVGPoint();\n"
	"    p.x = e.clientX; p.y = e.clientY;\n"
	"    return p.matrixTransform(svg.getScreenCTM().inverse());\n"
	"  }\n"
	"  svg.addEventListener('wheel', function (e) {\n"
	"    var k = Math.exp((e.deltaY > 0 ? 1 : -1) * 0.2), p = at(e);\n"
	"    var w = box.width * k, h = box.height * k;\n"
	"    if (w > home[2] / 1000 && w < home[2] * 20)\n"
	"      show([p.x - (p.x - box.x) * k, p.y - (p.y - box.y) * k, w, "
	"h]);\n"
	"    e.preventDefault();\n"
	"  }, { passive: false });\n"
	"  svg.addEventListener('mousedown', function (e) {\n"
	"    start = at(e);\n"
	"    e.preventDefault();\n"
	"  });\n"
	"  svg.addEventListener('mousemove', function (e) {\n"
	"    if (!start || !(e.buttons & 1)) { start = null; return; }\n"
	"    var p = at(e);\n"
	"    show([box.x + start.x - p.x, box.y + start.y - p.y, box.width, "
	"box.height]);\n"
	"  });\n"
	"  svg.addEventListener('mouseup', function () { start = null; });\n"
	"  svg.addEventListener('dblclick', function () { show(home); });\n"
	"})();\n"
	"]]></script>\n";

/*
 * Insert the script, and make the drawing fill its window: remove the size in
 * points, keep the viewBox.
 */
static int
make_interactive(const char *svg, size_t n, struct buf *out)
{
	const char *tag = memmem(svg, n, "<svg ", 5);
	const char *box, *close;
	static const char size[] = "<svg width=\"100%\" height=\"100%\" ";

	if (!tag)
		return buf_add(out, svg, n);
	close = memchr(tag, '>', n - (size_t)(tag - svg));
	if (!close)
		return buf_add(out, svg, n);
	box = memmem(tag, (size_t)(close - tag), "viewBox=", 8);
	if (!box)
		return buf_add(out, svg, n);
	if (buf_add(out, svg, (size_t)(tag - svg)) < 0 ||
	    buf_add(out, size, sizeof(size) - 1) < 0 ||
	    buf_add(out, box, (size_t)(close + 1 - box)) < 0 ||
	    buf_add(out, "\n", 1) < 0 ||
	    buf_add(out, script, sizeof(script) - 1) < 0)
		return -1;
	return buf_add(out, close + 1, n - (size_t)(close + 1 - svg));
}

/* Fail with the last message of Graphviz, as one line. */
static enum prof_status
graphviz_failed(struct prof_err *err)
{
	const char *why = aglasterr();
	size_t n = why ? strcspn(why, "\n") : 0;

	return prof_fail(err, PROF_EFORMAT, "graphviz: %.*s", n ? (int)n : 7,
			 n ? why : "failed");
}

enum prof_status
render(const char *dot, size_t n, const char *format, struct buf *out,
       struct prof_err *err)
{
	GVC_t *gvc = gvContext();
	enum prof_status st = PROF_OK;
	char *text = NULL, *picture = NULL;
	unsigned len = 0;
	Agraph_t *g = NULL;
	int r = 0;

	if (!gvc)
		return prof_nomem(err);
	agseterr(AGMAX); /* kept for aglasterr(), not printed */
	text = malloc(n + 1);
	if (!text) {
		st = prof_nomem(err);
		goto out;
	}
	memcpy(text, dot, n);
	text[n] = '\0';
	g = agmemread(text);
	if (!g || gvLayout(gvc, g, "dot") != 0) {
		st = graphviz_failed(err);
		goto out;
	}
	if (gvRenderData(gvc, g, format, &picture, &len) != 0)
		st = graphviz_failed(err);
	else if (!strcmp(format, "svg"))
		r = make_interactive(picture, len, out);
	else
		r = buf_add(out, picture, len);
	if (st == PROF_OK && r < 0)
		st = prof_nomem(err);
	gvFreeLayout(gvc, g);
out:
	if (picture)
		gvFreeRenderData(picture);
	if (g)
		agclose(g);
	gvFreeContext(gvc);
	free(text);
	return st;
}
#else
bool
render_knows(const char *format)
{
	(void)format;
	return false;
}

enum prof_status
render(const char *dot, size_t n, const char *format, struct buf *out,
       struct prof_err *err)
{
	(void)dot, (void)n, (void)format, (void)out;
	return prof_fail(err, PROF_ENOTSUP, "this build has no graphviz");
}
#endif
