import AAI

private struct Broken: Error {
    let place = "/srv/pages"
}

var books: [String] = []
let title: JSON = [
    "type": "object", "properties": ["title": ["type": "string"]], "required": ["title"], "additionalProperties": false,
]
let listed: JSON = [
    "type": "object", "properties": ["books": ["type": "array", "items": ["type": "string"]]], "required": ["books"],
]

let app = App(id: "com.example.shelf", name: "Shelf", description: "The books on the shelf.")
app.tool("add_book", "Put a book on the shelf.", parameters: title, returns: listed) { params in
    print("adding \(params["title"] ?? "")")
    books.append(params["title"] as? String ?? "")
    return ["books": books]
}
app.tool("remove_book", "Take a book from the shelf.", parameters: title, returns: listed) { params in
    let wanted = params["title"] as? String ?? ""
    guard let at = books.firstIndex(of: wanted) else { throw AppError("NO_SUCH_BOOK", "There is no book \(wanted).") }
    books.remove(at: at)
    return ["books": books]
}
app.tool("count_pages", "Count the pages of all books.") { _ in throw Broken() }
app.run()
