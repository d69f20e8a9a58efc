// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// An event in the progress of a ``MapperOperation``.
///
/// The operation starts; at each key path a representation is found or not, and each object begins and
/// then finishes or fails; the operation finishes or is cancelled. The empty key path is the whole
/// document.
public enum MapperEvent {
    /// The operation starts.
    case started
    /// A representation was found at a key path.
    case found(SourcePath, Node)
    /// The document has no representation at a key path.
    case notFound(SourcePath)
    /// The mapping of an object begins.
    case objectBegan(SourcePath)
    /// An object was mapped.
    case objectFinished(SourcePath, Any)
    /// An object cannot be mapped, or no mapping was chosen for it.
    case objectFailed(SourcePath, MappingIssue.Code)
    /// The operation ended with a result or an error.
    case finished(Result<MappingResult, MappingError>)
    /// The task was cancelled; no result follows.
    case cancelled
}

/// An observer of the progress of a ``MapperOperation``.
public protocol MapperObserver: AnyObject {
    /// Receives an event.
    func observe(_ event: MapperEvent)
}
