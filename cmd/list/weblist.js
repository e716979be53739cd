'use strict';
// Opens and closes the instructions of source lines: by click, by Enter or
// space on a line, "e" and "c" for all of them, "n" and "p" to the next hot line.
(() => {
	const lines = [...document.querySelectorAll('.livesrc')];
	const set = (line, open) => {
		const asm = line.nextElementSibling;
		asm.classList.toggle('open', open);
		line.setAttribute('aria-expanded', asm.classList.contains('open'));
	};
	const all = (open) => lines.forEach((line) => set(line, open));
	const go = (step) => {
		const hot = lines.filter((line) => /\bh[123]\b/.test(line.className));
		const at = hot.indexOf(document.activeElement);
		const to = hot[at < 0 ? 0 : (at + step + hot.length) % hot.length];
		if (to) to.focus();
	};
	document.documentElement.classList.add('js');
	for (const line of lines) {
		line.tabIndex = 0;
		line.setAttribute('role', 'button');
		line.setAttribute('aria-expanded', 'false');
	}
	document.addEventListener('click', (event) => {
		const line = event.target.closest('.livesrc');
		if (line) set(line);
	});
	document.addEventListener('keydown', (event) => {
		const line = event.target.closest('.livesrc');
		if (event.ctrlKey || event.altKey || event.metaKey) return;
		if (line && (event.key === 'Enter' || event.key === ' ')) set(line);
		else if (event.key === 'e') all(true);
		else if (event.key === 'c') all(false);
		else if (event.key === 'n') go(1);
		else if (event.key === 'p') go(-1);
		else return;
		event.preventDefault();
	});
})();
