export default function (component) {
  const root = component.parentElement.querySelector(".sm");
  root.app ??= new App(root);
  root.app.receive(component);
  return () => root.app.leave();
}
