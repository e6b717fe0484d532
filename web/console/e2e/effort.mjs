/** How much is tried: a part in `make test`, everything in `make campaign`. */
export const IS_CAMPAIGN = "HANDRAIL_CAMPAIGN_SEED" in process.env;

/** @template T @param {T} suite @param {T} campaign @returns {T} */
export const effort = (suite, campaign) => (IS_CAMPAIGN ? campaign : suite);
