// SPDX-License-Identifier: Apache-2.0

/// The page of a collection that a request selects.
struct PageQuery: Equatable {
    static let defaultSize = 25
    static let maximumSize = 100

    /// The page number; the first page is 1.
    var number = 1
    /// The number of resources on a page.
    var size = defaultSize

    /// An invalid query parameter.
    struct Fault: Error, Equatable {
        let message: String
    }

    init() {}

    /// Creates a query from the parameters `page` and `per_page`; others are ignored.
    ///
    /// - Throws: ``Fault`` if a value is not a number in the accepted range.
    init(_ query: some Sequence<(name: String, value: String)>) throws(Fault) {
        for item in query {
            switch item.name {
            case "page":
                guard let number = Int(item.value), number > 0, number < 1_000_000 else {
                    throw Fault(message: "page is a number from 1")
                }
                self.number = number
            case "per_page":
                guard let size = Int(item.value), (1...Self.maximumSize).contains(size) else {
                    throw Fault(message: "per_page is a number from 1 to \(Self.maximumSize)")
                }
                self.size = size
            default: break
            }
        }
    }

    /// Returns the resources on the page; empty beyond the last page.
    func slice<Element>(of elements: [Element]) -> ArraySlice<Element> {
        elements.dropFirst((number - 1) * size).prefix(size)
    }

    /// Returns the number of the last page; 1 for an empty collection.
    func lastNumber(of total: Int) -> Int { max(1, (total + size - 1) / size) }

    /// Returns the links to other pages as the value of a `Link` header field.
    ///
    /// - Source: RFC 8288 §3; targets are relative to the request.
    func links(at path: String, total: Int) -> String {
        let last = lastNumber(of: total)
        var links: [(relation: String, number: Int)] = []
        if number > 1 {
            links.append(("first", 1))
            links.append(("prev", min(number - 1, last)))
        }
        if number < last { links.append(("next", number + 1)) }
        links.append(("last", last))
        return links.map { link in
            "<\(path)?page=\(link.number)&per_page=\(size)>; rel=\"\(link.relation)\""
        }.joined(separator: ", ")
    }
}
