"""The software bill of materials of a release: the wheel and all that it may install, in the form of CycloneDX."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from afterburner.sandbox.extras import DISTRIBUTION
from scripts.release.artefacts import sha256
from scripts.release.errors import ReleaseError
from scripts.release.licences import dependencies, licence_of

if TYPE_CHECKING:
    from pathlib import Path

_VERSION = SchemaVersion.V1_6


def write_bill(wheel: Path, place: Path, made_s: int) -> str:
    """Write the bill, and say what is in it. The versions are those that this release was tested with.

    The same wheel with the same packages gives the same bytes.

    Args:
        wheel: that is described.
        place: the file to write.
        made_s: when the commit was made, in seconds since 1970.

    Raises:
        ReleaseError: it is not what CycloneDX's schema allows.
    """
    digest = sha256(wheel)
    bill = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"sha256:{digest}"))
    bill.metadata.timestamp = datetime.fromtimestamp(made_s, UTC)
    own = metadata.distribution(DISTRIBUTION)
    root = _component(own, ComponentType.APPLICATION)
    root.hashes = [HashType(alg=HashAlgorithm.SHA_256, content=digest)]
    bill.metadata.component = root
    found = {canonicalize_name(each.name): each for each in dependencies()}
    components = {name: _component(each, ComponentType.LIBRARY) for name, each in found.items()}
    for component in components.values():
        bill.components.add(component)
    for name, component in ((canonicalize_name(DISTRIBUTION), root), *components.items()):
        needed = _needed(own if component is root else found[name])
        bill.register_dependency(component, [components[each] for each in needed if each in components])
    text = make_outputter(bill, OutputFormat.JSON, _VERSION).output_as_string(indent=2)
    wrong = JsonStrictValidator(_VERSION).validate_str(text)
    if wrong is not None:
        raise ReleaseError(f"The bill of materials is not valid CycloneDX {_VERSION.to_version()}: {wrong}")
    place.write_text(text + "\n", encoding="utf-8")
    return f"{len(components)} components, CycloneDX {_VERSION.to_version()}"


def _component(found: metadata.Distribution, kind: ComponentType) -> Component:
    url = PackageURL("pypi", name=canonicalize_name(found.name), version=found.version)
    licence = licence_of(found)
    licences = [LicenseFactory().make_from_string(licence)] if licence else []
    return Component(
        name=found.name, version=found.version, type=kind, purl=url, bom_ref=url.to_string(), licenses=licences
    )


def _needed(found: metadata.Distribution) -> list[NormalizedName]:
    """The names of what a distribution requires, its extras included: which of them is there tells the bill."""
    return sorted({canonicalize_name(Requirement(text).name) for text in found.requires or ()})
