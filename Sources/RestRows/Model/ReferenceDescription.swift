// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RestMapping
import RestSyntax

/// A description of how representations refer to the destinations of a relationship: by the value of
/// an attribute instead of an object.
///
/// The value of the relationship in a representation is then the identity of the destination, or for
/// a to-many relationship a list of identities:
///
/// ```json
/// {"name": "Luke", "homeworld": "https://host/planets/1/", "films": [1, 2, 3]}
/// ```
///
/// An object in place of an identity is imported by the default mapping of its entity, so that a server may
/// expand some references. Requests contain the identities.
///
/// In a class, `@Reference` and `@Connected` declare it.
public struct ReferenceDescription: Sendable {
    enum Attribute: Sendable {
        case identity
        case name(String)
        case path(any AnyKeyPath & Sendable)
    }

    /// The part of a value that is the identity of the destination.
    public struct Form: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case value
            case lastPathComponent
        }

        private let storage: Storage

        /// The whole value.
        public static let value = Form(storage: .value)
        /// The last component of a URL or path that is not empty, without percent-encoding: 3 of
        /// `https://host/films/3/`, and `São Paulo` of `/cities/S%C3%A3o%20Paulo?page=2`.
        public static let lastPathComponent = Form(storage: .lastPathComponent)

        /// Returns the identity in a value.
        ///
        /// - Throws: `MappingFailure` if the value has no such part, or if it is not of the type of the
        ///   attribute.
        package func identity(
            in source: ValueSource, of attribute: String, _ type: AttributeType,
            _ reading: AttributeReading
        ) throws(MappingFailure) -> StoredValue {
            guard self == .lastPathComponent else { return try reading.read(source) }
            let text = try source.converted(to: String.self)
            let path = text.prefix { $0 != "?" && $0 != "#" }
            guard let component = path.split(separator: "/").last,
                let value = type.value(ofComponent: String(component))
            else {
                throw source.failure(
                    .typeMismatch, "a URL or path that ends with the value of \(attribute)")
            }
            return value
        }

        /// The name of the form.
        public var description: String { storage.rawValue }
    }

    /// The treatment of identities of which there is no object.
    public var missing: MissingDestination
    /// The part of a value that is the identity.
    public var form: Form
    let attribute: Attribute

    /// Creates a reference by an attribute of the destination.
    ///
    /// - Parameters:
    ///   - path: The attribute; `nil` for the only identification attribute of the destination.
    ///   - missing: The treatment of identities of which there is no object.
    ///   - form: The part of a value that is the identity.
    public init(
        by path: (any AnyKeyPath & Sendable)? = nil, missing: MissingDestination = .pending,
        form: Form = .value
    ) {
        attribute = path.map { .path($0) } ?? .identity
        self.missing = missing
        self.form = form
    }

    /// Creates a reference by an attribute of the destination with a name, which an entity without a
    /// class has.
    public init(
        by name: String, missing: MissingDestination = .pending, form: Form = .value
    ) {
        attribute = .name(name)
        self.missing = missing
        self.form = form
    }
}

extension AttributeType {
    /// Returns a component of a path as a value, without the conversions of other types; `nil` if it is none.
    fileprivate func value(ofComponent component: String) -> StoredValue? {
        let text = PercentEncoding.decoded(component.utf8)
        return switch self {
        case .text: .text(text)
        case .integer: Int64(text).map { .integer($0) }
        case .uuid: UUID(uuidString: text)?.storedValue
        default: nil
        }
    }
}

/// The treatment of references to objects that do not exist.
public struct MissingDestination: Sendable, Hashable, CustomStringConvertible {
    private enum Storage: String {
        case pending
        case skipped
        case placeholder
    }

    private let storage: Storage

    /// The store keeps the reference and connects the objects when the destination is saved.
    ///
    /// ``ManagedObjectContext/pendingReferences(of:)`` returns the references that are kept, and the
    /// report of the import has the paths of those of its document.
    public static let pending = MissingDestination(storage: .pending)
    /// The reference has no effect, and an issue with the code `missingDestination` is reported.
    public static let skipped = MissingDestination(storage: .skipped)
    /// An object with the identity is inserted.
    ///
    /// The destination needs an identity that the reference is by, and no other required attributes
    /// without default values.
    public static let placeholder = MissingDestination(storage: .placeholder)

    /// The name of the treatment.
    public var description: String { storage.rawValue }
}

extension ReferenceDescription {
    /// Returns the index of the attribute that an identity is the value of; `nil` if there is none.
    func property(of table: PropertyTable) -> Int? {
        switch attribute {
        case .identity: table.identity.count == 1 ? table.identity[0] : nil
        case .name(let name): table.index(of: name)
        case .path(let path): table.index(of: path as AnyKeyPath)
        }
    }

    /// Returns the name of the attribute, given the destination; `nil` if there is none.
    func attributeName(of destination: EntityDescription, identity: [String]) -> String? {
        switch attribute {
        case .identity: identity.count == 1 ? identity[0] : nil
        case .name(let name): name
        case .path(let path): destination.paths[PropertyPath(path)]
        }
    }
}

/// A reference compiled for its model.
package struct ReferenceLayout: Sendable {
    /// The column of the destination that has the identity.
    package let column: Int
    package let form: ReferenceDescription.Form
    package let missing: MissingDestination
}
