/**
 * A worker that stays and never says anything.
 */
setInterval(() => {}, 2 ** 30);
