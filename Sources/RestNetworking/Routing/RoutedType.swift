// SPDX-License-Identifier: Apache-2.0

/// The type of the objects that a route is for.
///
/// A class includes the classes that inherit from it, at any distance. Other types include only
/// themselves.
struct RoutedType: Sendable {
    let type: Any.Type
    private let hasSubtype: @Sendable (Any.Type) -> Bool

    init<Object>(_ type: Object.Type) {
        self.type = type
        hasSubtype = { $0 is Object.Type }
    }

    /// Creates a type for comparison by identity, which includes only itself.
    init(identity type: Any.Type) {
        self.type = type
        hasSubtype = { _ in false }
    }

    var id: ObjectIdentifier { ObjectIdentifier(type) }

    var isClass: Bool { type is AnyClass }

    /// Returns a Boolean value that indicates whether a type is this type or inherits from it.
    func includes(_ other: Any.Type) -> Bool {
        if id == ObjectIdentifier(other) { return true }
        return isClass && other is AnyClass && hasSubtype(other)
    }
}

extension RoutedType: Hashable {
    static func == (left: RoutedType, right: RoutedType) -> Bool { left.id == right.id }

    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
