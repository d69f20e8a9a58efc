// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// How a ``MapperOperation`` goes on.
///
/// It starts; for each key path something is found or not, and then each object begins and finishes
/// or fails; it finishes, or is cancelled. The empty key path is the whole document.
public enum MapperEvent {
    /// Nothing has been looked at yet.
    case started
    /// A representation was found at a key path.
    case found(SourcePath, Node)
    /// Nothing was found at a key path.
    case notFound(SourcePath)
    /// An object begins.
    case objectBegan(SourcePath)
    /// An object is mapped.
    case objectFinished(SourcePath, Any)
    /// An object cannot be mapped, or no mapping was chosen for it.
    case objectFailed(SourcePath, MappingIssue.Code)
    /// The operation ends with a result or an error.
    case finished(Result<MappingResult, MappingError>)
    /// The task was cancelled; no result follows.
    case cancelled
}

/// Is told how a ``MapperOperation`` goes on.
public protocol MapperObserver: AnyObject {
    /// Takes an event.
    func observe(_ event: MapperEvent)
}
