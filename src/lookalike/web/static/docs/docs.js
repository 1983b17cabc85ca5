// Shows /openapi.json: every route with its parameters, body and results, and a form to try it.
const token = () => sessionStorage.getItem("lookalike-token") || "";
const authorization = () => (token() ? { Authorization: `Bearer ${token()}` } : {});

function element(name, content, attributes = {}) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const part of [content].flat()) {
    if (part !== undefined && part !== null) made.append(part);
  }
  return made;
}

function table(headings, rows) {
  const head = element(
    "tr",
    headings.map((text) => element("th", text, { scope: "col" })),
  );
  const body = rows.map((row) =>
    element(
      "tr",
      row.map((cell) => element("td", cell)),
    ),
  );
  return element("table", [element("thead", head), element("tbody", body)]);
}

function parameters(route) {
  return (route.parameters || []).map((one) => {
    const type = one.schema.type || (one.schema.anyOf || []).map((part) => part.type).join(" or ");
    return [element("code", one.name), type, one.description || one.schema.description || ""];
  });
}

function tryForm(method, path, route) {
  const inputs = (route.parameters || []).map((one) => {
    const input = element("input", undefined, { name: one.name, autocomplete: "off" });
    if (one.schema.default !== undefined && one.required) input.value = one.schema.default;
    return element("p", element("label", [`${one.name} `, input]));
  });
  const content = route.requestBody?.content["application/json"];
  const chosen = route.parameters?.find(({ name }) => name === "model")?.schema.default;
  const example = content?.example ?? content?.examples?.[chosen]?.value;
  const area = route.requestBody ? element("textarea", JSON.stringify(example), { "aria-label": "JSON body" }) : null;
  const output = element("pre", "", { "aria-live": "polite" });
  const form = element("form", [...inputs, area, element("p", element("button", "Send"))]);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const query = new URLSearchParams();
    for (const input of form.querySelectorAll("input")) {
      if (input.value) query.append(input.name, input.value);
    }
    const headers = { ...authorization() };
    if (area) headers["Content-Type"] = "application/json";
    try {
      const response = await fetch(`${path}?${query}`, { method, headers, body: area?.value });
      output.textContent = `${response.status}\n${(await response.text()).slice(0, 20000)}`;
    } catch (error) {
      output.textContent = String(error);
    }
  });
  return [form, output];
}

function section(path, method, route) {
  const name = method.toUpperCase();
  const summary = element("summary", [
    element("span", name, { class: "method" }),
    element("code", path),
    ` ${route.description || route.summary || ""}`,
  ]);
  const listed = parameters(route);
  const statuses = Object.entries(route.responses).map(([code, one]) => [code, one.description]);
  const schema = route.requestBody?.content["application/json"]?.schema;
  const inside = element(
    "div",
    [
      listed.length ? element("h3", "Query parameters") : null,
      listed.length ? table(["name", "type", "meaning"], listed) : null,
      schema ? element("h3", "Body") : null,
      schema ? element("pre", JSON.stringify(schema, null, 1)) : null,
      element("h3", "Responses"),
      table(["status", "meaning"], statuses),
      element("h3", "Try it"),
      ...tryForm(name, path, route),
    ],
    { class: "inside" },
  );
  return element("details", [summary, inside]);
}

async function show() {
  const routes = document.getElementById("routes");
  const ask = document.getElementById("ask");
  const response = await fetch("/openapi.json", { headers: authorization() });
  ask.hidden = response.status !== 401;
  if (!response.ok) {
    routes.textContent = (await response.json()).detail;
    return;
  }
  const document_ = await response.json();
  document.getElementById("about").textContent = `${document_.info.description} Version ${document_.info.version}.`;
  const sections = Object.entries(document_.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => section(path, method, route)),
  );
  routes.replaceChildren(...sections);
}

document.getElementById("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("lookalike-token", /** @type {HTMLInputElement} */ (document.getElementById("token")).value);
  show();
});
show();
