// theme.mjs - light or dark, if the reader chose it: in the page's head, before
// anything is painted. Else the style follows the system, without scripts.
try {
	const {theme} = JSON.parse(localStorage.getItem('profpage1'));
	if (theme)
		document.documentElement.dataset.theme = theme;
} catch (e) {
	// Nothing was chosen, or the browser keeps nothing.
}
