// SPDX-License-Identifier: Apache-2.0

#if Macros
public import RestMapping

/// Declares a subclass of `ManagedObject` as an entity.
///
/// ```swift
/// @Entity final class Airport: ManagedObject {
///     @Identity var code: String
///     @Indexed @MaximumLength(80) var name: String
///     @MappedKey("opened_at") var openedAt: Date?
///     var passengers: Int = 0
///     @DeleteRule(.cascade) @Inverse(\Terminal.airport) var terminals: Set<Terminal>
///     @Connected("city_id") var city: City?
/// }
/// ```
///
/// Each variable becomes a property of the entity:
///
/// | type | property |
/// |---|---|
/// | an optional entity, `City?` | a to-one relationship |
/// | a set of entities, `Set<Terminal>` | a to-many relationship without order |
/// | an array of entities, `[Stop]` | a to-many relationship in the order of the array |
/// | any other type | an attribute, which is required unless the type is optional |
///
/// A default value is the value of new objects. `@MappedKey` sets another key in representations,
/// `@MappedTransform` and `@MappedPolicy` the transform of an attribute and the policy for its values that do
/// not fit. A property with `@MappedIgnored` is neither stored nor mapped.
///
/// The macro adds these members:
/// - `entity`, the description.
/// - `insert(into:…)`, which inserts an object with the values of its properties:
///   `try Airport.insert(into: context, code: "OSL", name: "Oslo")`. Required attributes without a
///   default value must be given. A subclass gets the function for its own properties if one of them
///   is required; otherwise it inherits that of its superclass, which then returns its objects.
/// - `Values`, a structure with the attributes and the IDs of to-one relationships of an object, which is
///   `Sendable` and `Encodable`. `try Airport.Values(airport)` creates it; see ``ManagedValues``.
///
/// A subclass of an entity is a sub-entity: `@Entity final class Dog: Animal`. It has the
/// properties of its superclass, and its objects are in the same table.
///
/// - Parameters:
///   - name: The name of the entity; `nil` for the name of the class.
///   - formerNames: The names of the entity in earlier models, the latest first.
///   - keys: The style of keys in representations, for properties without `@MappedKey`.
@attached(member, names: named(entity), named(insert), named(Values), named(init))
@attached(memberAttribute)
@attached(extension, conformances: ManagedEntity)
public macro Entity(
    name: String? = nil, renamedFrom formerNames: [String] = [], keys: KeyStyle = .asDeclared
) =
    #externalMacro(module: "RestMacros", type: "EntityMacro")

/// Declares an attribute as an identification attribute.
///
/// The combination of all identification attributes of an entity is unique.
///
/// ```swift
/// @Identity(form: .lastPathComponent) @MappedKey("url") var id: Int
/// ```
///
/// - Parameter form: The part of the value in a representation that is the identity.
@attached(peer)
public macro Identity(form: ReferenceDescription.Form = .value) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares an index on the column of an attribute.
///
/// Fetches that compare the attribute or order by it then read the index in place of the table.
/// Identification attributes and relationships have an index without it.
@attached(peer)
public macro Indexed() = #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares the maximum length of a text attribute in characters.
///
/// Characters are Unicode scalars, as SQLite's `length` counts them. Saving an object with a longer
/// text throws an error that names the property.
///
/// - Parameter length: The maximum length, at least 1.
@attached(peer)
public macro MaximumLength(_ length: Int) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares that the words of an attribute are in the full-text index.
///
/// Texts, numbers and JSON values can be searchable. See ``SearchPredicate``.
@attached(peer)
public macro Searchable() = #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares the names of a property in earlier models, the latest first.
///
/// A migration finds the values of the property by these names if the file has no property with its
/// current name.
@attached(peer)
public macro Renamed(from names: String...) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares what happens to the destinations of a relationship when an object is deleted.
///
/// - Parameter rule: The rule; relationships without the attribute have `.nullify`.
@attached(peer)
public macro DeleteRule(_ rule: DeleteRule) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares the policy of imports for the existing destinations of a relationship.
///
/// ```swift
/// @MappedAssignment(.replace) @Inverse(\Line.order) var lines: [Line]
/// ```
///
/// - Parameter policy: The policy; relationships without the attribute have `.set`. A mapping of the
///   relationship has a policy of its own.
@attached(peer)
public macro MappedAssignment(_ policy: AssignmentPolicy) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares the inverse of a relationship by key path.
///
/// Declare it on one of the two relationships only: with key paths on both, the compiler reports a
/// circular reference. The compiler checks that the inverse is a relationship that leads back.
///
/// - Parameter path: The inverse relationship, such as `\Terminal.airport`. Its root is the type of the
///   destination.
@attached(peer)
public macro Inverse(_ path: AnyKeyPath) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares the inverse of a relationship by name.
///
/// Use it for a relationship that is its own inverse, or to declare the inverse on both
/// relationships. The compiler checks that the inverse is a relationship that leads back.
///
/// - Parameter property: The name of the inverse relationship.
@attached(peer)
public macro Inverse(_ property: StaticString) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares that representations contain the identities of a relationship's destinations instead of
/// objects.
///
/// A server may also send an object in place of an identity, in a list as well: `[1, {"id": 2}]`.
///
/// It can be combined with `@Inverse`. The identities that a representation lists are then the
/// destinations, and their to-one relationships, the inverses, change with them.
///
/// ```swift
/// @Reference(by: \Planet.url) var homeworld: Planet?
/// @Reference(by: \Film.id, form: .lastPathComponent) var films: Set<Film>
/// ```
///
/// - Parameters:
///   - path: The attribute of the destination; `nil` for its only identification attribute.
///   - missing: The treatment of identities of which there is no object.
///   - form: The part of a value that is the identity.
@attached(peer)
public macro Reference(
    by path: AnyKeyPath? = nil, missing: MissingDestination = .pending,
    form: ReferenceDescription.Form = .value
) = #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Declares that representations contain the identities of a relationship's destinations at another
/// key.
///
/// ```swift
/// @Connected("airport_code") var airport: Airport?
/// ```
///
/// - Parameters:
///   - key: The key in representations, as for `@MappedKey`.
///   - path: The attribute of the destination; `nil` for its only identification attribute.
///   - missing: The treatment of identities of which there is no object.
///   - form: The part of a value that is the identity.
@attached(peer)
public macro Connected(
    _ key: StaticString, by path: AnyKeyPath? = nil, missing: MissingDestination = .pending,
    form: ReferenceDescription.Form = .value
) = #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")

/// Adds accessors that read and write a property through the object's context; `@Entity` adds it.
///
/// - Parameters:
///   - index: The index of the property among those that the class declares.
///   - inSubentity: A Boolean value that indicates whether the superclass is an entity, whose
///     properties precede those of the class.
@attached(accessor)
public macro ManagedProperty(_ index: Int, inSubentity: Bool = false) =
    #externalMacro(module: "RestMacros", type: "ManagedPropertyMacro")
#endif
