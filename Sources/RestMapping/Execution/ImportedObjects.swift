// SPDX-License-Identifier: Apache-2.0

/// The location of a representation in a run: its value, and the step that maps it.
///
/// Two runs of one plan for one document visit a representation at equal locations. The value alone
/// is not enough, because several steps may map the same one.
package struct RepresentationLocation: Hashable, Sendable {
    /// The index of the value on the tape of its document.
    let value: Int
    /// The index of the value on the tape of the run's document; see ``ValueSource/location``.
    let location: Int
    let step: Int
}

/// The managed objects that were imported from a document, for the plain objects that hold them.
///
/// A store imports the entities of a document first. The run that maps the plain objects then takes the
/// imported objects in place of mapping their representations again.
package protocol ImportedObjects {
    /// Returns the object of a representation.
    func object(at location: RepresentationLocation) -> ImportedObject
}

/// The object that an import has for a representation.
package enum ImportedObject {
    case object(AnyObject)
    /// The import dropped the object, or it was deleted since.
    case dropped
    /// The import did not reach the representation.
    case unknown
}
