// SPDX-License-Identifier: Apache-2.0

extension FetchResolver {
    /// Returns the condition that an element of an array matches.
    mutating func elements(
        _ array: FetchExpression, _ type: AttributeType, _ inner: FetchPredicate.Term,
        in scopes: [Row]
    ) throws(PersistenceError) -> Condition {
        try at(sharedPath(array.paths), in: scopes) {
            (resolver, base) throws(PersistenceError) -> Condition in
            let value = try resolver.json(array, in: scopes, from: base)
            let alias = resolver.aliasCount
            resolver.aliasCount += 1
            resolver.elements.append(.element(alias, type))
            defer { resolver.elements.removeLast() }
            return .elements(value, alias, try resolver.condition(inner, in: scopes))
        }
    }

    /// Returns a member of a JSON value.
    mutating func member(
        _ member: JSONMember, of object: FetchExpression, in scopes: [Row],
        from base: (FetchPath, Row)?
    ) throws(PersistenceError) -> Value {
        let path = object.paths.first
        // JSON paths of SQLite have no escapes.
        if member.keys.contains(where: { $0.contains("\"") || $0.contains("\\") }) {
            throw invalid(path, "has a member whose name has a quotation mark or a backslash")
        }
        let native: [AttributeType] = [.text, .integer, .double, .boolean, .json]
        guard member.hasColumnForm || native.contains(member.type) else {
            throw invalid(
                path,
                "has a member that is compared as \(member.type), whose form in JSON depends on its "
                    + "encoding; compare text, a number or a Boolean value")
        }
        return .member(try json(object, in: scopes, from: base), member)
    }

    /// Returns a value that is JSON.
    mutating func json(
        _ expression: FetchExpression, in scopes: [Row], from base: (FetchPath, Row)?
    ) throws(PersistenceError) -> Value {
        let value = try value(expression, in: scopes, from: base)
        guard value.type == .json else { throw invalid(expression.paths.first, "is not JSON") }
        return value
    }
}
