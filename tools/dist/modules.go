package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// These types are the parts of an SPDX 2.3 document that a module list uses. A required field
// without a known value is NOASSERTION.
type spdxDocument struct {
	Version       string             `json:"spdxVersion"`
	DataLicense   string             `json:"dataLicense"`
	ID            string             `json:"SPDXID"`
	Name          string             `json:"name"`
	Namespace     string             `json:"documentNamespace"`
	Creation      spdxCreation       `json:"creationInfo"`
	Packages      []spdxPackage      `json:"packages"`
	Relationships []spdxRelationship `json:"relationships"`
}

type spdxCreation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	Name             string          `json:"name"`
	ID               string          `json:"SPDXID"`
	Version          string          `json:"versionInfo"`
	DownloadLocation string          `json:"downloadLocation"`
	FilesAnalyzed    bool            `json:"filesAnalyzed"`
	Concluded        string          `json:"licenseConcluded"`
	Declared         string          `json:"licenseDeclared"`
	Copyright        string          `json:"copyrightText"`
	SourceInfo       string          `json:"sourceInfo,omitempty"`
	References       []spdxReference `json:"externalRefs"`
}

type spdxReference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxRelationship struct {
	From string `json:"spdxElementId"`
	Kind string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// moduleList returns an SPDX document for a program file. It lists the program, the Go standard
// library and every module.
func moduleList(name, version string, binary []byte, at time.Time) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, fmt.Errorf("read the build information of the program: %w", err)
	}
	d := spdxDocument{
		Version:     "SPDX-2.3",
		DataLicense: "CC0-1.0",
		ID:          "SPDXRef-DOCUMENT",
		Name:        name,
		Namespace:   fmt.Sprintf("https://spdx.org/spdxdocs/%s-%x", name, sha256.Sum256(binary)),
		Creation:    spdxCreation{at.Format(time.RFC3339), []string{"Tool: svc/tools/dist"}},
	}
	add := func(module, version, sum string) {
		p := spdxPackage{
			Name: module, ID: "SPDXRef-" + strconv.Itoa(len(d.Packages)), Version: version,
			DownloadLocation: "NOASSERTION", Concluded: "NOASSERTION", Declared: "NOASSERTION", Copyright: "NOASSERTION",
			References: []spdxReference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + module + "@" + version}},
		}
		if sum != "" {
			p.SourceInfo = "go.sum: " + sum
		}
		relation := spdxRelationship{"SPDXRef-0", "DEPENDS_ON", p.ID}
		if len(d.Packages) == 0 {
			relation = spdxRelationship{d.ID, "DESCRIBES", p.ID}
		}
		d.Packages, d.Relationships = append(d.Packages, p), append(d.Relationships, relation)
	}
	add(info.Main.Path, version, "")
	add("stdlib", strings.TrimPrefix(info.GoVersion, "go"), "")
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		add(m.Path, m.Version, m.Sum)
	}
	text, err := json.MarshalIndent(d, "", " ")
	return append(text, '\n'), err
}
